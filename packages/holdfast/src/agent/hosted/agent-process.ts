import { spawn } from "node:child_process";
import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createPeer, RpcError, rpcCodes } from "../../base/json-rpc.ts";
import type { Peer, PeerOptions } from "../../base/json-rpc.ts";
import { expectStreams } from "../../base/spawned.ts";
import { withTimeout } from "../../base/time.ts";
import { createMessageLines } from "../mcp/message-lines.ts";
import { createTail } from "../mcp/stderr-tail.ts";
import { startKeeper } from "../tools/keeper.ts";
import type { Keeper } from "../tools/keeper.ts";
import { createMark } from "../tools/owner-mark.ts";
import { endGroup, hasVariable } from "../tools/processes.ts";
import { inputPipes, sendInputs } from "../tools/sandbox/command-inputs.ts";

/** A running hosted agent: a process group that speaks ACP over stdio. */
export interface AgentProcess {
  readonly peer: Pick<Peer, "notify"> & {
    /** Rejects with `AgentGone` if the process ends before the answer. */
    request(method: string, params: object): Promise<unknown>;
  };
  readonly pid: number | null;
  /** Resolves with the reason when the agent's process has ended. Other processes of its group may still be running. */
  readonly ended: Promise<string>;
  isOver(): boolean;
  /** Stops reading from the agent until the returned function is called. */
  pause(): () => void;
  /** Returns the last part of the agent's stderr output. */
  stderr(): string;
  /** Ends the whole process group. `now`: without time to exit by itself. */
  close(how: "gently" | "now"): Promise<void>;
}

export interface ProcessOptions {
  readonly command: readonly string[];
  /** Content of each file descriptor from 3 on, which the sandbox reads. Default: none. */
  readonly inputs?: readonly Uint8Array[];
  /** File descriptor to which the sandbox writes its state. Default: none. */
  readonly status?: number | null;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly asked: PeerOptions["asked"];
  readonly notified: PeerOptions["notified"];
}

/** Thrown if the process of a hosted agent has ended or could not be started. */
export class AgentGone extends Error {
  /** True if the process had started and has ended, for example because it was killed: a second start may succeed. */
  readonly mayRetry: boolean;
  /** What to do about the reason. Null: check the installation of the agent. */
  readonly advice: string | null;
  constructor(
    reason: string,
    { mayRetry = false, advice = null }: { mayRetry?: boolean; advice?: string | null } = {},
  ) {
    super(reason);
    this.name = "AgentGone";
    this.mayRetry = mayRetry;
    this.advice = advice;
  }
}

/** Maximum size of one message. An agent that sends more is stopped. */
const maxMessage = 32_000_000;
/** Maximum number of bytes waiting in a pipe that the agent does not read. */
const maxUnread = 64_000_000;
/** Milliseconds that an agent has to exit after its stdin is closed, and again after SIGTERM. */
const closeGrace = 1_000;

export async function startAgent(options: ProcessOptions): Promise<AgentProcess> {
  const { name, value } = await createMark();
  const [program = "", ...rest] = options.command;
  const { inputs = [], status = null } = options;
  const mark = `${name}=${value}`;
  const keeper = startKeeper(mark);
  let child: ChildProcess;
  try {
    child = expectStreams(
      spawn(program, rest, {
        cwd: options.cwd,
        env: { ...options.environment, [name]: value },
        detached: true,
        stdio: ["pipe", "pipe", "pipe", ...inputPipes({ inputs, status })],
      }),
    );
  } catch (error) {
    keeper.end();
    throw new AgentGone(notStarted(options, error));
  }
  if (!hasStreams(child)) {
    keeper.end();
    throw new AgentGone("the agent started without its pipes");
  }
  sendInputs(child, inputs);
  // Ignore errors of a broken pipe or process, because the "exit" event reports the failure.
  for (const part of [child, child.stdin, child.stdout, child.stderr]) part.on("error", () => {});
  try {
    await once(child, "spawn");
  } catch (error) {
    keeper.end();
    throw new AgentGone(notStarted(options, error));
  }
  if (child.pid !== undefined) keeper.follow(child.pid);
  return attach(child, { ...options, mark, keeper });
}

function hasStreams(child: ChildProcess): child is ChildProcessWithoutNullStreams {
  return child.stdin !== null && child.stdout !== null && child.stderr !== null;
}

interface Attached extends ProcessOptions {
  readonly mark: string;
  readonly keeper: Keeper;
}

function attach(child: ChildProcessWithoutNullStreams, options: Attached): AgentProcess {
  const ended = Promise.withResolvers<string>();
  const tail = createTail(1_000_000);
  let closing: Promise<void> | null = null;
  let pauses = 0;
  const finish = (reason: string, how: "gently" | "now"): void => {
    if (closing !== null) return;
    closing = terminate(child, { ...options, how }).finally(() => tail.stop());
    ended.resolve(reason);
  };
  const peer = createPeer({
    send: (line) => {
      if (closing !== null) return;
      if (child.stdin.writableLength > maxUnread)
        finish("the agent does not read its stdin", "now");
      else child.stdin.write(`${line}\n`);
    },
    asked: options.asked,
    notified: options.notified,
    describe: describeError,
  });
  const reader = createReader((line) => {
    if (closing === null) peer.take(line);
  });
  const lines = createMessageLines({
    maxBytes: maxMessage,
    onLine: (line) => reader.add(line),
    onLongLine: ({ bytes }) =>
      finish(`the agent sent ${bytes} bytes in one message; the limit is ${maxMessage}`, "now"),
  });
  child.stdout.on("data", (chunk: Buffer) => lines.add(chunk));
  tail.follow(child.stderr);
  // Handle the last messages, which may still be in the pipe, before reporting the exit.
  const exited = (code: number | null, signal: string | null): void =>
    void reader.drained().then(() => finish(exitText(code, signal), "now"));
  child.once("close", exited);
  child.once("exit", (code, signal) => setTimeout(() => exited(code, signal), 200).unref());
  const gone = ended.promise.then((reason): never => {
    throw new AgentGone(reason, { mayRetry: true });
  });
  // Prevent an unhandled rejection if the agent ends while no request is open. An open request passes the error to its
  // caller.
  gone.catch(() => {});
  const never = new AbortController().signal;
  return {
    peer: {
      notify: (method, params) => peer.notify(method, params),
      request: (method, params) => Promise.race([peer.request(method, params, never), gone]),
    },
    pid: child.pid ?? null,
    ended: ended.promise,
    isOver: () => closing !== null,
    pause: () => {
      pauses += 1;
      child.stdout.pause();
      return () => {
        pauses -= 1;
        if (pauses === 0) child.stdout.resume();
      };
    },
    stderr: () => tail.text(),
    close: async (how) => {
      finish("Holdfast closed the agent", how);
      await closing;
    },
  };
}

/**
 * Handles lines in order. After a response, waits until the code that called the agent has received it, and only then
 * handles the next line. Otherwise, a message that follows the response to a prompt would still count as part of the
 * prompt's turn.
 */
function createReader(take: (line: string) => void): {
  add(line: string): void;
  /** Resolves when all added lines have been passed to `take`. */
  drained(): Promise<void>;
} {
  const waiting: string[] = [];
  let isDraining = false;
  let draining = Promise.resolve();
  const drain = async (): Promise<void> => {
    isDraining = true;
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      take(line);
      if (isAnswer(line)) await new Promise((resolve) => setImmediate(resolve));
    }
    isDraining = false;
  };
  return {
    add: (line) => {
      waiting.push(line);
      if (!isDraining) draining = drain();
    },
    drained: async () => {
      await draining;
    },
  };
}

/**
 * True if the line is a response. Requests and notifications have a field `method` near the start or the end of the
 * line; responses do not.
 */
function isAnswer(line: string): boolean {
  const isShort = line.length < 2_000;
  const ends = isShort ? line : `${line.slice(0, 500)}${line.slice(-500)}`;
  return !ends.includes('"method"');
}

function describeError(error: unknown): { code: number; message: string } {
  if (error instanceof RpcError) return { code: error.code, message: error.message };
  return { code: rpcCodes.internal, message: error instanceof Error ? error.message : "failed" };
}

async function terminate(
  child: ChildProcessWithoutNullStreams,
  options: { mark: string; keeper: Keeper; how: "gently" | "now" },
): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  child.stdin.end();
  const isRunning = child.exitCode === null && child.signalCode === null;
  if (options.how === "gently" && isRunning) {
    await withTimeout(once(child, "exit"), { milliseconds: closeGrace, late: () => {} });
  }
  const killAfter = options.how === "gently" ? closeGrace : 0;
  await endGroup(pid, { killAfter, isOurs: hasVariable(options.mark) });
  options.keeper.end();
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
}

function exitText(code: number | null, signal: string | null): string {
  return code === null
    ? `the agent was killed by ${signal ?? "a signal"}`
    : `the agent exited with code ${code}`;
}

function notStarted({ command: [program = ""], cwd }: ProcessOptions, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ENOENT") return `there is no program ${program}, or no directory ${cwd}`;
  if (code === "EACCES") return `${program} is not executable`;
  return error instanceof Error ? error.message : String(error);
}
