import type { SSEClientTransport, Transport } from "@modelcontextprotocol/client";
import { boundedFetch } from "./bounded-fetch.ts";
import type { HttpWireOptions } from "./http-wire.ts";
import { createFloodMeter } from "./limits.ts";
import type { Wire } from "./wire.ts";

/**
 * Opens the older HTTP+SSE transport, which has one stream for all messages of the server. If the stream ends, its
 * session is gone, so the connection is lost.
 */
export function createSseWire(
  options: HttpWireOptions & { readonly transport: typeof SSEClientTransport },
): Wire {
  const { config, limits, now, auth } = options;
  const meter = createFloodMeter(limits.flood, now);
  const ended = Promise.withResolvers<string>();
  let closing: Promise<void> | null = null;
  let cut: string | null = null;
  const bounded = boundedFetch({
    maxMessage: limits.maxMessage,
    onCut: (problem) => (cut = problem),
    onData: (sent) => {
      const flood = meter.add(sent);
      if (flood !== null) finish(`Holdfast disconnected the server: ${flood}`);
    },
  });
  const inner: Transport = new options.transport(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    ...(auth === undefined ? {} : { authProvider: auth.provider }),
    fetch: auth?.watch(bounded) ?? bounded,
  });
  const finish = (reason: string): void => {
    if (closing !== null) return;
    closing = inner.close();
    ended.resolve(reason);
    transport.onclose?.();
  };
  let isOpen = false;
  const handlers: Pick<Transport, "onmessage" | "onerror"> = {
    onmessage: (message) => transport.onmessage?.(message),
    onerror: (error) => {
      transport.onerror?.(error);
      // Only an error of the stream itself has the field `event`.
      if (isOpen && "event" in error) finish(cut ?? "the connection was lost");
    },
  };
  Object.assign(inner, handlers);
  const transport: Transport = {
    start: async () => {
      await inner.start();
      isOpen = true;
    },
    send: async (message) => {
      if (closing !== null) throw new Error("the connection to the MCP server is closed");
      await inner.send(message);
    },
    close: async () => {
      finish("the connection was closed");
      await closing;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
  };
  return {
    transport,
    ended: ended.promise,
    fail: finish,
    close: () => transport.close(),
    pid: () => null,
    stderr: () => "",
    notes: () => ["the server uses the older HTTP+SSE transport"],
  };
}
