import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { commandEnvironment } from "./environment.ts";
import { gitFolders } from "./git-folder.ts";
import { keepOutput } from "./output-keeper.ts";
import type { OutputKeeper } from "./output-keeper.ts";
import { isInside, locate } from "./paths.ts";
import { completed, failed } from "./result.ts";
import { runCommand } from "./run-command.ts";
import type { CommandEnd } from "./run-command.ts";
import { findSandbox } from "./sandbox.ts";
import type { Sandbox } from "./sandbox.ts";
import { derivedId } from "./derived-id.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

export interface ShellOptions {
  /** The machine's sandbox, or null when it has none that works. */
  readonly findSandbox?: () => Promise<Sandbox | null>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** How long processes may take to end when they are told to, before they are killed. */
  readonly killAfter?: number;
}

const defaultTimeout = 120_000;
/** Well inside the grace time of a stop (C5), so that the result can still be written. */
const defaultKillAfter = 1_500;

const input = z.object({
  command: z.string().min(1).max(100_000).describe("A command line for bash."),
  timeout: z
    .int()
    .min(1)
    .optional()
    .describe(`Milliseconds after which it is ended; ${defaultTimeout} if left out.`),
  path: z.string().optional().describe("The folder to run it in; the directory if left out."),
});

type ShellInput = z.infer<typeof input>;

export function createShellTool(options: ShellOptions = {}): Tool<ShellInput> {
  return {
    name: "shell",
    description:
      "Runs a command. There is no input to answer it with. When the command ends, so does everything " +
      "that it left running. Long output loses its middle. To read, search or change files, use the " +
      "tools for that instead.",
    input,
    repeatable: false,
    parallel: false,
    permission: ({ command, path }) => ({
      action: "run",
      subject: command,
      preview: path === undefined ? command : `${command}\n(in ${path})`,
    }),
    run: (request, context) => runShell(request, context, options),
  };
}

async function runShell(
  request: ShellInput,
  context: ToolContext,
  options: ShellOptions,
): Promise<ToolResult> {
  const { command, path = "." } = request;
  if (command.includes("\0")) return failed("a command cannot contain a NUL character");
  const place = await locate(path, context);
  if (place.status === "refused") return failed(place.message);
  const { shell } = context.settings;
  const sandbox = shell.sandbox === "off" ? null : await (options.findSandbox ?? findSandbox)();
  if (sandbox === null && shell.sandbox === "required") {
    return failed("not run: the settings require a sandbox, and this machine has none that works");
  }
  const timeout = Math.min(request.timeout ?? defaultTimeout, shell.timeout);
  const output = keepOutput({
    maxBytes: shell.maxOutput,
    progress: (text) => context.progress(text),
  });
  const id = derivedId("call", context);
  const git = sandbox === null ? [] : await gitFolders(context.directory);
  // The signal says no then, and nothing is begun.
  context.mayAct();
  const end = await runCommand({
    command: commandLine(command, { sandbox, directory: place.path, git, context }),
    directory: place.path,
    environment: {
      ...commandEnvironment(options.environment ?? process.env),
      HOLDFAST_CALL: id,
    },
    signal: context.signal,
    timeout,
    killAfter: options.killAfter ?? defaultKillAfter,
    mark: `HOLDFAST_CALL=${id}`,
    onOutput: (chunk) => output.add(chunk),
  });
  return shellResult({ end, output, sandbox, timeout, setting: shell.sandbox });
}

function commandLine(
  command: string,
  options: {
    sandbox: Sandbox | null;
    directory: string;
    git: readonly string[];
    context: ToolContext;
  },
): readonly string[] {
  const { sandbox, directory, git, context } = options;
  const shell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
  // Errors go where the output goes, so that both keep the order in which they were written.
  const line = [shell, "-c", 'exec "$0" -c "$1" 2>&1', shell, command];
  if (sandbox === null) return line;
  const { settings } = context;
  // Whoever works in such a folder itself would find nothing there.
  const around = (path: string): boolean => !isInside(context.directory, path);
  return sandbox.wrap({
    command: line,
    writable: [context.directory, ...git, ...present(settings.allowedPaths)],
    hidden: present(settings.guarded.hidden).filter(around),
    // What git runs by itself, it would run outside of the sandbox.
    readOnly: [
      ...present(git.flatMap((folder) => [join(folder, "hooks"), join(folder, "config")])),
      ...present(settings.guarded.readOnly).filter(around),
    ],
    directory,
    network: settings.shell.network,
  });
}

function present(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => existsSync(path));
}

function shellResult(options: {
  end: CommandEnd;
  output: OutputKeeper;
  sandbox: Sandbox | null;
  timeout: number;
  setting: ToolContext["settings"]["shell"]["sandbox"];
}): ToolResult {
  const { end, output, sandbox, timeout, setting } = options;
  const { text, truncated } = output.result();
  const notes: string[] = [];
  const note = endNote(end, timeout);
  if (note !== null) notes.push(note);
  if (sandbox === null) {
    const why = setting === "off" ? "the settings turn it off" : "this machine has none that works";
    notes.push(`[ran without a sandbox: ${why}]`);
  }
  const exitCode = end.kind === "exited" ? end.code : null;
  const extra = { exitCode, truncated, sandbox: sandbox?.name ?? "none" };
  const body = [text.trimEnd() || "(no output)", ...notes].join("\n");
  return end.kind === "exited" && end.code === 0 ? completed(body, extra) : failed(body, extra);
}

function endNote(end: CommandEnd, timeout: number): string | null {
  switch (end.kind) {
    case "exited":
      if (end.code === 0) return null;
      return end.code === null ? `[ended by ${end.signal}]` : `[exit code ${end.code}]`;
    case "timeout":
      return `[ended after ${timeout} ms]`;
    case "stopped":
      return "[stopped with the run]";
    case "notStarted":
      return `[could not be started: ${end.message}]`;
  }
}
