import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { withTimeout } from "../../base/time.ts";
import { endGroup, hasVariable, signalGroup } from "../tools/processes.ts";
import type { McpServerConfig } from "./config.ts";
import { createMark, serverEnvironment } from "./environment.ts";
import type { McpLimits } from "./limits.ts";
import { createMessageLines } from "./message-lines.ts";
import type { LongLine } from "./message-lines.ts";
import { createTail } from "./stderr-tail.ts";
import { brief, failureFor } from "./wire.ts";
import type { Wire } from "./wire.ts";
import { createFloodMeter } from "./limits.ts";

/** How long what a process wrote before its end may still be on its way. */
const drainTime = 200;
/** How long a server may take to see that its input has ended, before it is told to end. */
const goodbyeTime = 300;

/**
 * A server as a process group of its own, which gets messages as lines. When it ends, by itself, at a
 * flood or because it is closed, nothing that it started is left.
 */
export function createStdioWire(options: {
  readonly config: Extract<McpServerConfig, { type: "stdio" }>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits: McpLimits;
  readonly now: () => number;
}): Wire {
  const { config, limits, now } = options;
  const meter = createFloodMeter(limits.flood, now);
  const ended = Promise.withResolvers<string>();
  const tail = createTail(limits.stderrRate);
  let child: ChildProcessWithoutNullStreams | null = null;
  let mark = "";
  let gone: Promise<void> | null = null;
  let junk: string | null = null;

  const finish = (reason: string, how: "gently" | "now" = "now"): void => {
    if (gone !== null) return;
    gone = takeDown(child, { mark, killAfter: limits.closeGrace, how });
    ended.resolve(reason);
    transport.onclose?.();
  };
  const receive = (message: JSONRPCMessage): void => {
    if (gone !== null) return;
    try {
      transport.onmessage?.(message);
    } catch (error) {
      // What cannot even be looked at, such as a message nested too deeply, answers nobody.
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  };
  /** The client lets go of a request at its answer, and what came before that is to be seen first. */
  const deliver = (message: JSONRPCMessage): void => {
    if ("method" in message) receive(message);
    else setImmediate(() => receive(message));
  };
  const count = (messages: number, bytes: number): void => {
    const flood = meter.add({ messages, bytes });
    if (flood !== null) finish(`it was stopped: ${flood}`);
  };
  const lines = createMessageLines({
    maxBytes: limits.maxMessage,
    onLine: (line) => {
      if (gone !== null) return;
      count(1, 0);
      const message = parseMessage(line);
      if (message !== null) deliver(message);
      else if (line.trim() !== "") junk ??= brief(line, 100);
    },
    onLongLine: (line) => {
      const problem = `it sent ${line.bytes} bytes in one message, and ${limits.maxMessage} are taken`;
      const id = answeredBy(line);
      if (id === null) finish(`it was stopped: ${problem}`);
      else deliver(failureFor(id, problem));
    },
  });

  const start = async (): Promise<void> => {
    const { name, value } = await createMark();
    if (gone !== null) throw new Error("it was closed");
    mark = `${name}=${value}`;
    const [program, ...rest] = config.command;
    const started = spawn(program, rest, {
      cwd: config.cwd,
      env: { ...serverEnvironment(options.environment, config.env), [name]: value },
      detached: true,
      stdio: "pipe",
    });
    child = started;
    if (started.pid !== undefined) openGroups.add(started.pid);
    started.stdout.on("data", (chunk: Buffer) => {
      if (gone !== null) return;
      // A line in many small parts is as much work as many lines.
      count(1, chunk.length);
      lines.add(chunk);
    });
    tail.follow(started.stderr);
    // A broken pipe or process is reported by the "exit" event.
    for (const part of [started, started.stdin, started.stdout, started.stderr]) {
      part.on("error", () => {});
    }
    // Only a bound for the last output; the "exit" event reports the failure.
    const closed = once(started, "close").catch(() => {});
    started.once("exit", (code, signal) => {
      const drained = withTimeout(closed, { milliseconds: drainTime, late: () => {} });
      void drained.then(() => finish(exitText(code, signal)));
    });
    try {
      await once(started, "spawn");
    } catch (error) {
      const reason = notStarted(config, error);
      finish(reason);
      throw new Error(reason, { cause: error });
    }
  };

  const send = (message: JSONRPCMessage): Promise<void> => {
    if (child === null || gone !== null) return Promise.reject(new Error("the server has ended"));
    if (child.stdin.writableLength > limits.maxUnread) {
      finish("it was stopped: it does not read what it is sent");
      return Promise.reject(new Error("it does not read what it is sent"));
    }
    child.stdin.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  };

  const close = async (): Promise<void> => {
    finish("it was closed", "gently");
    await gone;
    tail.stop();
  };
  const transport: Transport = { start, send, close };
  return {
    transport,
    ended: ended.promise,
    fail: (reason) => finish(reason),
    close,
    pid: () => (gone === null ? (child?.pid ?? null) : null),
    stderr: () => tail.text(),
    notes: () =>
      junk === null
        ? []
        : [`it prints to its standard output what is no message, such as: ${junk}`],
  };
}

/** The end of standard input is what servers are to end at; those that do not are ended. */
async function takeDown(
  child: ChildProcessWithoutNullStreams | null,
  options: { mark: string; killAfter: number; how: "gently" | "now" },
): Promise<void> {
  if (child?.pid === undefined) return;
  const { pid } = child;
  child.stdin.end();
  const isRunning = child.exitCode === null && child.signalCode === null;
  if (options.how === "gently" && isRunning) {
    await withTimeout(once(child, "exit"), { milliseconds: goodbyeTime, late: () => {} });
  }
  await endGroup(pid, { killAfter: options.killAfter, isOurs: hasVariable(options.mark) });
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
  openGroups.delete(pid);
}

/** A program that exits without closing what it has open leaves no server behind either. */
const openGroups = new Set<number>();
process.once("exit", () => {
  for (const group of openGroups) signalGroup(group, "SIGKILL");
});

/** The client looks at what is in it. */
const messageSchema = z.custom<JSONRPCMessage>(
  (value) => typeof value === "object" && value !== null && "jsonrpc" in value,
);

function parseMessage(line: string): JSONRPCMessage | null {
  try {
    return messageSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** Which request a message answers that was too long to be read: the id is near one of its ends. */
function answeredBy({ head, tail }: LongLine): number | null {
  const [, id] =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/.exec(head) ??
    /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail) ??
    [];
  return id === undefined ? null : Number(id);
}

function exitText(code: number | null, signal: string | null): string {
  return code === null ? `it was ended by ${signal ?? "a signal"}` : `it ended with code ${code}`;
}

function notStarted({ command, cwd }: { command: readonly string[]; cwd: string }, error: unknown) {
  const code = error instanceof Error && "code" in error ? error.code : null;
  const [program = ""] = command;
  if (code === "ENOENT") {
    return `it cannot be started: there is no program ${brief(program)}, or no folder ${brief(cwd)}`;
  }
  if (code === "EACCES") return `it cannot be started: ${brief(program)} may not be run`;
  return `it cannot be started: ${error instanceof Error ? error.message : String(error)}`;
}
