import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expectStreams } from "../../base/spawned.ts";
import { longestTimer, withTimeout } from "../../base/time.ts";
import { endGroup, processGone } from "./processes.ts";
import type { IsOurs } from "./processes.ts";
import { inputPipes, readFirstProcess, sendInputs } from "./sandbox/command-inputs.ts";
import type { SandboxedCommand } from "./sandbox/sandbox.ts";

export type CommandEnd =
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: "timeout" }
  | { readonly kind: "stopped" }
  | { readonly kind: "notStarted"; readonly message: string };

export interface CommandRun {
  readonly command: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly timeout: number;
  /** Milliseconds that processes have to end before they are killed. */
  readonly killAfter: number;
  /** Identifies processes that left the process group. Null if the sandbox ends all processes. */
  readonly isOurs: IsOurs | null;
  readonly onOutput: (chunk: Buffer) => void;
  /** Called with the process group of the command when it has started. */
  readonly onStart?: (group: number) => void;
  /** Text for standard input. Missing: no input. */
  readonly input?: string;
  /** Contents of the file descriptors that a sandbox reads. */
  readonly inputs?: SandboxedCommand["inputs"];
  readonly status?: SandboxedCommand["status"];
}

/** Milliseconds to wait for output after the last known process has ended. */
const drainTime = 500;

/**
 * Runs a command in its own process group. Returns after all its processes have ended, so that no process outlives the
 * call.
 */
export async function runCommand(run: CommandRun): Promise<CommandEnd> {
  const { command, directory, environment, onOutput, input, inputs = [], status = null } = run;
  if (run.signal.aborted) return { kind: "stopped" };
  const [program = "", ...rest] = command;
  let child: ChildProcess;
  try {
    child = expectStreams(
      spawn(program, rest, {
        cwd: directory,
        env: environment,
        detached: true,
        stdio: [
          input === undefined ? "ignore" : "pipe",
          "pipe",
          "pipe",
          ...inputPipes({ inputs, status }),
        ],
      }),
    );
  } catch (error) {
    return notStarted(error);
  }
  if (child.pid !== undefined) run.onStart?.(child.pid);
  sendInputs(child, inputs);
  const firstProcess = status === null ? null : readFirstProcess(child, status);
  // Ignore the error: a command may end without reading its input.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  child.stdout?.on("data", onOutput);
  child.stderr?.on("data", onOutput);
  // Ignore the error: if the command cannot be started, "spawn" fails below.
  const closed = once(child, "close").catch(() => {});
  try {
    await once(child, "spawn");
  } catch (error) {
    return notStarted(error);
  }
  const end = await firstEnd(child, run);
  await endAll(child, { run, closed, asked: end.kind !== "exited" });
  const first = await firstProcess;
  if (first !== null) await processGone(first);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return end;
}

function notStarted(error: unknown): CommandEnd {
  return { kind: "notStarted", message: error instanceof Error ? error.message : String(error) };
}

/** Resolves when the command ends, times out or is aborted. */
function firstEnd(child: ChildProcess, run: CommandRun): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const settle = (end: CommandEnd): void => {
      clearTimeout(timer);
      run.signal.removeEventListener("abort", stop);
      resolve(end);
    };
    const stop = (): void => settle({ kind: "stopped" });
    const limit = Math.min(run.timeout, longestTimer);
    const timer = setTimeout(() => settle({ kind: "timeout" }), limit);
    run.signal.addEventListener("abort", stop, { once: true });
    child.once("exit", (code, signal) => settle({ kind: "exited", code, signal }));
    if (run.signal.aborted) stop();
  });
}

/** Ends the process group and all processes that left it. */
async function endAll(
  child: ChildProcess,
  options: { run: CommandRun; closed: Promise<unknown>; asked: boolean },
): Promise<void> {
  const { run, closed, asked } = options;
  const { pid } = child;
  if (pid === undefined) return;
  // After a normal exit, give the remaining processes a short time to write their output before they are terminated.
  if (!asked) await withTimeout(closed, { milliseconds: drainTime, late: () => {} });
  await endGroup(pid, run);
  await withTimeout(closed, { milliseconds: 2 * drainTime, late: () => {} });
}
