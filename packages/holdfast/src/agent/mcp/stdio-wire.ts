import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { expectStreams } from "../../base/spawned.ts";
import { withTimeout } from "../../base/time.ts";
import { createMark } from "../tools/owner-mark.ts";
import { endGroup, hasVariable, signalGroup } from "../tools/processes.ts";
import type { McpServerConfig } from "./config.ts";
import { serverEnvironment } from "./environment.ts";
import type { McpLimits } from "./limits.ts";
import { createMessageLines } from "./message-lines.ts";
import type { LongLine } from "./message-lines.ts";
import { createTail } from "./stderr-tail.ts";
import { brief, failureFor } from "./wire.ts";
import type { Wire } from "./wire.ts";
import { createFloodMeter } from "./limits.ts";

/** Milliseconds to wait for buffered output after the process has exited. */
const drainTime = 200;
/** Milliseconds that a server has to exit after its stdin was closed. */
const stdinEndTimeout = 300;

/**
 * Runs a server in its own process group, with one message per line. When the server ends for any reason, all processes
 * that it started are terminated too.
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
  let closing: Promise<void> | null = null;
  let strayOutput: string | null = null;

  const finish = (reason: string, how: "gently" | "now" = "now"): void => {
    if (closing !== null) return;
    closing = terminate(child, { mark, killAfter: limits.closeGrace, how });
    ended.resolve(reason);
    transport.onclose?.();
  };
  const receive = (message: JSONRPCMessage): void => {
    if (closing !== null) return;
    try {
      transport.onmessage?.(message);
    } catch (error) {
      // Drop a message that the client cannot process, for example because it is nested too deeply.
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  };
  /**
   * Delivers responses one event-loop turn later. The client forgets a request when its response arrives, so earlier
   * progress messages must be processed first.
   */
  const deliver = (message: JSONRPCMessage): void => {
    if ("method" in message) receive(message);
    else setImmediate(() => receive(message));
  };
  const count = (messages: number, bytes: number): void => {
    const flood = meter.add({ messages, bytes });
    if (flood !== null) finish(`Holdfast stopped the server: ${flood}`);
  };
  const lines = createMessageLines({
    maxBytes: limits.maxMessage,
    onLine: (line) => {
      if (closing !== null) return;
      count(1, 0);
      const message = parseMessage(line);
      if (message !== null) deliver(message);
      else if (line.trim() !== "") strayOutput ??= brief(line, 100);
    },
    onLongLine: (line) => {
      const problem = `the server sent ${line.bytes} bytes in one message; the limit is ${limits.maxMessage}`;
      const id = answeredBy(line);
      if (id === null) finish(`Holdfast stopped the server: ${problem}`);
      else deliver(failureFor(id, problem));
    },
  });

  const start = async (): Promise<void> => {
    const { name, value } = await createMark();
    if (closing !== null) throw new Error("the server was closed");
    mark = `${name}=${value}`;
    const [program, ...rest] = config.command;
    let started: ChildProcessWithoutNullStreams;
    try {
      started = expectStreams(
        spawn(program, rest, {
          cwd: config.cwd,
          env: { ...serverEnvironment(options.environment, config.env), [name]: value },
          detached: true,
          stdio: "pipe",
        }),
      );
    } catch (error) {
      throw failedStart(error);
    }
    child = started;
    if (started.pid !== undefined) openGroups.add(started.pid);
    started.stdout.on("data", (chunk: Buffer) => {
      if (closing !== null) return;
      // Count chunks too, because a line in many small chunks takes as much work as many lines.
      count(1, chunk.length);
      lines.add(chunk);
    });
    tail.follow(started.stderr);
    // Ignore errors of a broken pipe or process: the "exit" event reports the failure.
    for (const part of [started, started.stdin, started.stdout, started.stderr]) {
      part.on("error", () => {});
    }
    // Only used to wait for the last output, so ignore errors: the "exit" event reports the failure.
    const closed = once(started, "close").catch(() => {});
    started.once("exit", (code, signal) => {
      const drained = withTimeout(closed, { milliseconds: drainTime, late: () => {} });
      void drained.then(() => finish(exitText(code, signal)));
    });
    try {
      await once(started, "spawn");
    } catch (error) {
      throw failedStart(error);
    }
  };
  const failedStart = (error: unknown): Error => {
    const reason = notStarted(config, error);
    finish(reason);
    return new Error(reason, { cause: error });
  };

  const send = (message: JSONRPCMessage): Promise<void> => {
    if (child === null || closing !== null)
      return Promise.reject(new Error("the process of the MCP server has ended"));
    if (child.stdin.writableLength > limits.maxUnread) {
      finish("Holdfast stopped the server: it does not read its stdin");
      return Promise.reject(new Error("the MCP server does not read its stdin"));
    }
    child.stdin.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  };

  const close = async (): Promise<void> => {
    finish("the server was closed", "gently");
    await closing;
    tail.stop();
  };
  const transport: Transport = { start, send, close };
  return {
    transport,
    ended: ended.promise,
    fail: (reason) => finish(reason),
    close,
    pid: () => (closing === null ? (child?.pid ?? null) : null),
    stderr: () => tail.text(),
    notes: () =>
      strayOutput === null
        ? []
        : [`the server prints text that is not MCP to stdout, such as: ${strayOutput}`],
  };
}

/** Stops a server: closes its stdin, then ends its process group if it does not exit. */
async function terminate(
  child: ChildProcessWithoutNullStreams | null,
  options: { mark: string; killAfter: number; how: "gently" | "now" },
): Promise<void> {
  if (child?.pid === undefined) return;
  const { pid } = child;
  child.stdin.end();
  const isRunning = child.exitCode === null && child.signalCode === null;
  if (options.how === "gently" && isRunning) {
    await withTimeout(once(child, "exit"), { milliseconds: stdinEndTimeout, late: () => {} });
  }
  await endGroup(pid, { killAfter: options.killAfter, isOurs: hasVariable(options.mark) });
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
  openGroups.delete(pid);
}

/** Process groups to kill if Holdfast exits without closing its servers. */
const openGroups = new Set<number>();
process.once("exit", () => {
  for (const group of openGroups) signalGroup(group, "SIGKILL");
});

/** Validates only the envelope of a message. The client validates the rest. */
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

/** Finds the id of the request that an oversized message answers. The id is near the start or the end. */
function answeredBy({ head, tail }: LongLine): number | null {
  const [, id] =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/.exec(head) ??
    /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail) ??
    [];
  return id === undefined ? null : Number(id);
}

function exitText(code: number | null, signal: string | null): string {
  return code === null
    ? `the server was killed by ${signal ?? "a signal"}`
    : `the server exited with code ${code}`;
}

function notStarted({ command, cwd }: { command: readonly string[]; cwd: string }, error: unknown) {
  const code = error instanceof Error && "code" in error ? error.code : null;
  const [program = ""] = command;
  if (code === "ENOENT") {
    return `the server cannot be started: there is no program ${brief(program)}, or no directory ${brief(cwd)}`;
  }
  if (code === "EACCES") return `the server cannot be started: ${brief(program)} is not executable`;
  return `the server cannot be started: ${error instanceof Error ? error.message : String(error)}`;
}
