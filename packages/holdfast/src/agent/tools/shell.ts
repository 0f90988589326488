import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { z } from "zod";
import { commandReads } from "./command-reads.ts";
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
import { hideMark, sandboxMark } from "./sandbox/sandbox-mark.ts";
import type { Sandbox, SandboxedCommand } from "./sandbox/sandbox.ts";
import { derivedId } from "./derived-id.ts";
import type { PermissionRequest, Tool, ToolContext, ToolResult } from "./tool.ts";

export interface ShellOptions {
  /** Returns the sandbox of this machine; null if none works. */
  readonly findSandbox?: () => Promise<Sandbox | null>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that processes have to end after SIGTERM before they are killed. */
  readonly killAfter?: number;
}

const defaultTimeout = 120_000;
/**
 * Default of `killAfter` in milliseconds. It is well below the grace period of a stop (C5), so that the result can
 * still be written.
 */
const defaultKillAfter = 1_500;

const input = z.object({
  command: z.string().min(1).max(100_000).describe("A command line for bash."),
  timeout: z
    .int()
    .min(1)
    .optional()
    .describe(`Timeout in milliseconds. Default: ${defaultTimeout}.`),
  path: z.string().optional().describe("The folder to run in. Default: the session's directory."),
  network: z
    .boolean()
    .optional()
    .describe("True if the command needs network access, which requires its own permission."),
});

type ShellInput = z.infer<typeof input>;

export function createShellTool(options: ShellOptions = {}): Tool<ShellInput> {
  return {
    name: "shell",
    description:
      "Runs a command without stdin. When the command ends, everything that it left running is ended too. " +
      "Long output is cut in the middle. To read, search or change files, use the file tools instead. " +
      "A command may run in a sandbox: then it can write only to the session's directory, has no network " +
      "access unless `network` is true, and cannot change git hooks and git config.",
    input,
    example: { command: "npm test -- parser", timeout: 300_000 },
    repeatable: false,
    parallel: false,
    permission: async (request, context) => {
      const asked = await commandRequest(request, context);
      const sandbox = await sandboxFor(context, options);
      const { command } = request;
      const line = { command, path: asked.path ?? ".", inSandbox: sandbox !== null };
      const reads = await commandReads(line, context);
      return { ...asked, reads, ...sandboxWarning(context, sandbox) };
    },
    run: (request, context) => runShell(request, context, options),
  };
}

function sandboxFor({ settings }: ToolContext, options: ShellOptions): Promise<Sandbox | null> {
  if (settings.shell.sandbox === "off") return Promise.resolve(null);
  return (options.findSandbox ?? findSandbox)();
}

/** Returns a warning, for the person who is asked for permission, if the command runs without a sandbox. */
function sandboxWarning(context: ToolContext, sandbox: Sandbox | null): { warning?: string } {
  const { sandbox: setting } = context.settings.shell;
  if (setting === "required" || sandbox !== null) return {};
  const why =
    setting === "off" ? "The sandbox is turned off in the config" : "This machine has no sandbox";
  return {
    warning: `${why}: the command can read, change and send everything that your user account can.`,
  };
}

/**
 * Builds the permission request of a command. Rules apply to the real folder in which the command runs, even if the
 * given path contains links.
 */
async function commandRequest(
  { command, path, network = false }: ShellInput,
  context: ToolContext,
): Promise<PermissionRequest> {
  const request = { action: network ? "network" : "run", subject: command } as const;
  const place = path === undefined ? null : await follow(path, context);
  if (place === null || (place.status === "found" && place.subject === ".")) {
    return { ...request, preview: command };
  }
  // If the folder cannot be found, show the given path to people. The call fails later, when it runs.
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
    return failed(
      "The command was not run: the config requires a sandbox, but none works on this machine. See `holdfast doctor`.",
    );
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
  const marked = sandbox === null ? {} : await sandboxMark();
  const started =
    sandbox === null || git === null
      ? { command: shellCommand(command, mark?.script ?? ""), inputs: [] }
      : sandboxed(request, { sandbox, git, directory: place.path, environment, context });
  // If the run may no longer act, `mayAct` aborts the signal, and no command starts.
  context.mayAct();
  const end = await runCommand({
    ...started,
    directory: place.path,
    environment: { ...environment, HOLDFAST_CALL: id, ...marked },
    signal: context.signal,
    timeout,
    killAfter: options.killAfter ?? defaultKillAfter,
    isOurs: mark?.isOurs ?? null,
    onOutput: (chunk) => output.add(chunk),
  });
  const found = (await git?.inspect()) ?? [];
  return shellResult({ end, output, sandbox, timeout, found, setting: shell.sandbox });
}

/** Shell code that limits the number of processes. The option is `-u` in bash, and `-p` in dash and BusyBox. */
const limitProcesses = `{ ulimit -u ${maxProcesses} || ulimit -p ${maxProcesses}; } 2>/dev/null; `;

/** Returns the path of the shell that runs commands. */
export function bestShell(): string {
  return existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
}

/** Builds the command line of a shell that executes the code in `before`, then the command. */
function shellCommand(command: string, before: string): readonly string[] {
  const shell = bestShell();
  // Redirect stderr to stdout, so that both keep their order.
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
  // True if the path may be hidden or made read-only. False for a folder that contains the session's directory.
  const around = (path: string): boolean => !isInside(context.directory, path);
  const homes = [environment["HOME"] ?? "", homedir()].filter(isAbsolute);
  return sandbox.wrap({
    command: shellCommand(command, `${hideMark}${limitProcesses}`),
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
    const why = setting === "off" ? "it is turned off in the config" : "none works on this machine";
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
      return end.code === null ? `[killed by ${end.signal}]` : `[exit code ${end.code}]`;
    case "timeout":
      return `[timed out after ${timeout} ms]`;
    case "stopped":
      return "[stopped because the run was stopped]";
    case "notStarted":
      return `[could not be started: ${end.message}]`;
  }
}
