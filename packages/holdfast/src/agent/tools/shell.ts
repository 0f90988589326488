import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { z } from "zod";
import { commandEnvironment } from "./environment.ts";
import { keepOutput } from "./output-keeper.ts";
import type { OutputKeeper } from "./output-keeper.ts";
import { follow, isInside, locate, shown } from "./paths.ts";
import { createProcessMark } from "./process-mark.ts";
import { completed, failed } from "./result.ts";
import { runCommand } from "./run-command.ts";
import type { CommandEnd } from "./run-command.ts";
import { maxProcesses } from "./sandbox/bubblewrap.ts";
import { findSandbox } from "./sandbox/find-sandbox.ts";
import { guardGit } from "./sandbox/git-guard.ts";
import type { GitGuard } from "./sandbox/git-guard.ts";
import { privatePaths } from "./sandbox/private-paths.ts";
import type { Sandbox, SandboxedCommand } from "./sandbox/sandbox.ts";
import { derivedId } from "./derived-id.ts";
import type { PermissionRequest, Tool, ToolContext, ToolResult } from "./tool.ts";

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
  network: z
    .boolean()
    .optional()
    .describe("Whether the command needs the network. It is asked for separately."),
});

type ShellInput = z.infer<typeof input>;

export function createShellTool(options: ShellOptions = {}): Tool<ShellInput> {
  return {
    name: "shell",
    description:
      "Runs a command. There is no input to answer it with. When the command ends, so does everything " +
      "that it left running. Long output loses its middle. To read, search or change files, use the " +
      "tools for that instead. A command may run in a sandbox: then it can write to the directory only, " +
      "has no network unless `network` is true, and cannot change hooks and config of git.",
    input,
    repeatable: false,
    parallel: false,
    permission: async (request, context) => ({
      ...(await commandRequest(request, context)),
      ...(await sandboxWarning(context, options)),
    }),
    run: (request, context) => runShell(request, context, options),
  };
}

function sandboxFor({ settings }: ToolContext, options: ShellOptions): Promise<Sandbox | null> {
  if (settings.shell.sandbox === "off") return Promise.resolve(null);
  return (options.findSandbox ?? findSandbox)();
}

/** People who are asked learn that nothing holds the command back. */
async function sandboxWarning(
  context: ToolContext,
  options: ShellOptions,
): Promise<{ warning?: string }> {
  const { sandbox: setting } = context.settings.shell;
  if (setting === "required" || (await sandboxFor(context, options)) !== null) return {};
  const why =
    setting === "off" ? "The settings turn the sandbox off" : "This machine has no sandbox";
  return { warning: `${why}: the command can read, change and send everything that you can.` };
}

/** Rules judge a command by the real folder in which it runs, whatever links lead there. */
async function commandRequest(
  { command, path, network = false }: ShellInput,
  context: ToolContext,
): Promise<PermissionRequest> {
  const request = { action: network ? "network" : "run", subject: command } as const;
  const place = path === undefined ? null : await follow(path, context);
  if (place === null || (place.status === "found" && place.subject === ".")) {
    return { ...request, preview: command };
  }
  // A folder that cannot be found makes the call fail after it was allowed.
  const folder = place.status === "found" ? place.subject : (path ?? "");
  return { ...request, path: folder, preview: `${command}\n(in ${shown(folder)})` };
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
  const sandbox = await sandboxFor(context, options);
  if (sandbox === null && shell.sandbox === "required") {
    return failed("not run: the settings require a sandbox, and this machine has none that works");
  }
  const timeout = Math.min(request.timeout ?? defaultTimeout, shell.timeout);
  const output = keepOutput({
    maxBytes: shell.maxOutput,
    progress: (text) => context.progress(text),
  });
  const id = derivedId("call", context);
  const git = sandbox === null ? null : await guardGit(context.directory);
  const environment = commandEnvironment(options.environment ?? process.env, shell.variables);
  const mark = sandbox === null ? createProcessMark() : null;
  const started =
    sandbox === null || git === null
      ? { command: shellCommand(command, mark?.script ?? ""), inputs: [] }
      : sandboxed(request, { sandbox, git, directory: place.path, environment, context });
  // The signal says no then, and nothing is begun.
  context.mayAct();
  const end = await runCommand({
    ...started,
    directory: place.path,
    environment: { ...environment, HOLDFAST_CALL: id },
    signal: context.signal,
    timeout,
    killAfter: options.killAfter ?? defaultKillAfter,
    isOurs: mark?.isOurs ?? null,
    onOutput: (chunk) => output.add(chunk),
  });
  const found = (await git?.inspect()) ?? [];
  return shellResult({ end, output, sandbox, timeout, found, setting: shell.sandbox });
}

/** The option of bash, then that of dash and BusyBox. */
const limitProcesses = `{ ulimit -u ${maxProcesses} || ulimit -p ${maxProcesses}; } 2>/dev/null; `;

/** Runs the command in a shell, after some shell code of our own. */
function shellCommand(command: string, before: string): readonly string[] {
  const shell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
  // Errors go where the output goes, so that both keep the order in which they were written.
  return [shell, "-c", `${before}exec "$0" -c "$1" 2>&1`, shell, command];
}

function sandboxed(
  { command, network = false }: ShellInput,
  options: {
    sandbox: Sandbox;
    git: GitGuard;
    directory: string;
    environment: Readonly<Record<string, string>>;
    context: ToolContext;
  },
): SandboxedCommand {
  const { sandbox, git, directory, environment, context } = options;
  const { allowedPaths, guarded, shell } = context.settings;
  const allowed = present(allowedPaths);
  // A session that works in such a folder would find nothing there.
  const around = (path: string): boolean => !isInside(context.directory, path);
  const homes = [environment["HOME"] ?? "", homedir()].filter(isAbsolute);
  return sandbox.wrap({
    command: shellCommand(command, limitProcesses),
    directory,
    writable: [context.directory, ...git.writable, ...allowed],
    pinned: git.pinned,
    readOnly: [...git.readOnly, ...present(guarded.readOnly).filter(around)],
    hidden: [...present(guarded.hidden), ...privatePaths({ homes, allowed })].filter(around),
    network: network || shell.network,
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
  found: readonly string[];
  setting: ToolContext["settings"]["shell"]["sandbox"];
}): ToolResult {
  const { end, output, sandbox, timeout, found, setting } = options;
  const { text, truncated } = output.result();
  const notes = [endNote(end, timeout), ...found].filter((line) => line !== null);
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
