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

/** A stream that breaks is opened again this often before the connection counts as lost. */
const streamTries = 3;
const minStreamDelay = 1_000;
const maxStreamDelay = 30_000;
/** Saying goodbye to the server may take this long. */
const goodbyeTime = 1_000;

type HttpTransport = typeof StreamableHTTPClientTransport;
type Goodbye = Pick<StreamableHTTPClientTransport, "terminateSession">;

/** A server at an address. What it sends is counted and cut off where it is too much. */
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
  let gone: Promise<void> | null = null;
  let cut: string | null = null;

  const finish = (reason: string): void => {
    if (gone !== null) return;
    for (const timer of timers) clearTimeout(timer);
    gone = sayGoodbye(inner);
    ended.resolve(reason);
    transport.onclose?.();
  };
  const inner: Transport & Goodbye = new options.transport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    fetch: boundedFetch({
      maxMessage: limits.maxMessage,
      onCut: (problem) => (cut = problem),
      onData: (sent) => {
        const flood = meter.add(sent);
        if (flood !== null) finish(`it was stopped: ${flood}`);
      },
    }),
    reconnectionOptions: {
      initialReconnectionDelay: minStreamDelay,
      maxReconnectionDelay: maxStreamDelay,
      reconnectionDelayGrowFactor: 2,
      maxRetries: Number.MAX_SAFE_INTEGER,
    },
    // A server may ask for another delay, even none at all.
    reconnectionScheduler: (reconnect, wanted, tries) => {
      if (gone !== null) return;
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
    if (gone !== null) throw new Error("the connection is closed");
    const id = "method" in message && "id" in message ? message.id : null;
    const onRequestStreamEnd = (): void => {
      sending?.onRequestStreamEnd?.();
      if (id === null) return;
      transport.onmessage?.(
        failureFor(id, cut ?? "the server ended the answer before it was whole"),
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
      finish("it was closed");
      await gone;
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

async function sayGoodbye(inner: Transport & Goodbye): Promise<void> {
  // A server that is gone or does not know this request needs no goodbye.
  const said = inner.terminateSession().catch(() => {});
  await withTimeout(said, { milliseconds: goodbyeTime, late: () => {} });
  await inner.close();
}

/** Bodies end where a message would be too long; everything that comes is counted. */
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
            const problem = `it sent more than ${maxMessage} bytes in one message`;
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

/** Lines are at least as many as events: a stream of nothing but line ends is a flood as well. */
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
