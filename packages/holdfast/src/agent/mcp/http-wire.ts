import type {
  JSONRPCMessage,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { withTimeout } from "../../base/time.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import type { McpServerConfig } from "./config.ts";
import type { McpLimits } from "./limits.ts";
import type { TokenSource } from "./oauth/token-source.ts";
import { failureFor } from "./wire.ts";
import type { Wire } from "./wire.ts";
import { createFloodMeter } from "./limits.ts";

/** Maximum number of attempts to reopen a broken stream before the connection counts as lost. */
const streamTries = 3;
const usualStreamDelay = 1_000;
/** Limits of the reconnect delay that a server can request, in milliseconds. */
const minStreamDelay = 100;
const maxStreamDelay = 30_000;
/** Milliseconds to wait for the server to end the session. */
const endSessionTimeout = 1_000;

type HttpTransport = typeof StreamableHTTPClientTransport;
type SessionEnd = Pick<StreamableHTTPClientTransport, "terminateSession">;

export interface HttpWireOptions {
  readonly config: Extract<McpServerConfig, { type: "http" }>;
  readonly limits: McpLimits;
  readonly now: () => number;
  /** Adds access tokens to requests. Missing: only the configured headers are sent. */
  readonly auth?: TokenSource;
}

/** Opens an HTTP transport to a server. Counts the received data, and aborts messages that are too large. */
export function createHttpWire(
  options: HttpWireOptions & { readonly transport: HttpTransport },
): Wire {
  const { config, limits, now, auth } = options;
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
  const bounded = boundedFetch({
    maxMessage: limits.maxMessage,
    onCut: (problem) => (cut = problem),
    onData: (sent) => {
      const flood = meter.add(sent);
      if (flood !== null) finish(`Holdfast disconnected the server: ${flood}`);
    },
  });
  const inner: Transport & SessionEnd = new options.transport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    ...(auth === undefined ? {} : { authProvider: auth.provider }),
    onInsufficientScope: auth === undefined ? "reauthorize" : "throw",
    fetch: auth?.watch(bounded) ?? bounded,
    reconnectionOptions: {
      initialReconnectionDelay: usualStreamDelay,
      maxReconnectionDelay: maxStreamDelay,
      reconnectionDelayGrowFactor: 2,
      maxRetries: Number.MAX_SAFE_INTEGER,
    },
    // `wanted` is the delay that the server requests, else a default that grows with each try.
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
    if (closing !== null) throw new Error("the connection to the MCP server is closed");
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
