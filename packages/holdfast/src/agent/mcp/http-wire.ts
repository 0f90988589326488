import type {
  FetchLike,
  JSONRPCMessage,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { withTimeout } from "../../base/time.ts";
import type { McpServerConfig } from "./config.ts";
import type { McpLimits } from "./limits.ts";
import { failureFor } from "./wire.ts";
import type { Wire } from "./wire.ts";
import { createFloodMeter } from "./limits.ts";

/** Number of times a broken stream is reopened before the connection counts as lost. */
const streamTries = 3;
const minStreamDelay = 1_000;
const maxStreamDelay = 30_000;
/** Timeout for ending the session on the server, in milliseconds. */
const endSessionTimeout = 1_000;

type HttpTransport = typeof StreamableHTTPClientTransport;
type SessionEnd = Pick<StreamableHTTPClientTransport, "terminateSession">;

/** Connects to a server by HTTP. Its data is counted, and too large messages are cut off. */
export function createHttpWire(options: {
  readonly config: Extract<McpServerConfig, { type: "http" }>;
  readonly transport: HttpTransport;
  readonly limits: McpLimits;
  readonly now: () => number;
}): Wire {
  const { config, limits, now } = options;
  const meter = createFloodMeter(limits.flood, now);
  const ended = Promise.withResolvers<string>();
  const timers = new Set<NodeJS.Timeout>();
  let closing: Promise<void> | null = null;
  let cut: string | null = null;

  const finish = (reason: string): void => {
    if (closing !== null) return;
    for (const timer of timers) clearTimeout(timer);
    closing = endSession(inner);
    ended.resolve(reason);
    transport.onclose?.();
  };
  const inner: Transport & SessionEnd = new options.transport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    fetch: boundedFetch({
      maxMessage: limits.maxMessage,
      onCut: (problem) => (cut = problem),
      onData: (sent) => {
        const flood = meter.add(sent);
        if (flood !== null) finish(`Holdfast disconnected the server: ${flood}`);
      },
    }),
    reconnectionOptions: {
      initialReconnectionDelay: minStreamDelay,
      maxReconnectionDelay: maxStreamDelay,
      reconnectionDelayGrowFactor: 2,
      maxRetries: Number.MAX_SAFE_INTEGER,
    },
    // The server may request any delay, even zero. Limit it.
    reconnectionScheduler: (reconnect, wanted, tries) => {
      if (closing !== null) return;
      if (tries >= streamTries) {
        finish("the connection was lost");
        return;
      }
      const delay = Math.min(maxStreamDelay, Math.max(minStreamDelay, wanted));
      const timer = setTimeout(() => {
        timers.delete(timer);
        reconnect();
      }, delay).unref();
      timers.add(timer);
    },
  });
  const handlers: Pick<Transport, "onmessage" | "onerror"> = {
    onmessage: (message) => transport.onmessage?.(message),
    onerror: (error) => transport.onerror?.(error),
  };
  Object.assign(inner, handlers);

  const send = async (message: JSONRPCMessage, sending?: TransportSendOptions): Promise<void> => {
    if (closing !== null) throw new Error("the connection is closed");
    const id = "method" in message && "id" in message ? message.id : null;
    const onRequestStreamEnd = (): void => {
      sending?.onRequestStreamEnd?.();
      if (id === null) return;
      transport.onmessage?.(
        failureFor(id, cut ?? "the server ended the answer before it was complete"),
      );
      cut = null;
    };
    try {
      await inner.send(message, { ...sending, onRequestStreamEnd });
    } catch (error) {
      if (cut === null) throw error;
      const problem = cut;
      cut = null;
      throw new Error(problem, { cause: error });
    }
  };
  const transport: Transport = {
    start: () => inner.start(),
    send,
    close: async () => {
      finish("the connection was closed");
      await closing;
    },
    hasPerRequestStream: true,
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
  };
  return {
    transport,
    ended: ended.promise,
    fail: finish,
    close: () => transport.close(),
    pid: () => null,
    stderr: () => "",
    notes: () => [],
  };
}

async function endSession(inner: Transport & SessionEnd): Promise<void> {
  // Ignore errors: the server is gone, or does not support ending a session.
  const ended = inner.terminateSession().catch(() => {});
  await withTimeout(ended, { milliseconds: endSessionTimeout, late: () => {} });
  await inner.close();
}

/** Wraps fetch: counts all data, and fails a body with a too large message. */
function boundedFetch(options: {
  readonly maxMessage: number;
  readonly onData: (sent: { messages: number; bytes: number }) => void;
  readonly onCut: (problem: string) => void;
}): FetchLike {
  const { maxMessage, onData, onCut } = options;
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    let bytes = 0;
    const limited = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          const ends = isStream ? eventEnds(chunk) : { count: 0, after: -1 };
          onData({ messages: ends.count + 1, bytes: chunk.length });
          bytes = ends.after === -1 ? bytes + chunk.length : chunk.length - ends.after;
          if (bytes > maxMessage) {
            const problem = `the server sent more than ${maxMessage} bytes in one message`;
            onCut(problem);
            controller.error(new Error(problem));
            return;
          }
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(limited, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

const newline = 0x0a;

/**
 * Counts lines, of which there are at least as many as events. So a stream of empty lines counts as a flood
 * too.
 */
function eventEnds(chunk: Uint8Array): { count: number; after: number } {
  let count = 0;
  let after = -1;
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) {
    count += 1;
    const before = chunk[at - 1] === 0x0d ? chunk[at - 2] : chunk[at - 1];
    if (before === newline) after = at + 1;
  }
  return { count, after };
}
