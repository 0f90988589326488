import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { HttpBindings } from "@hono/node-server";
import type { EventStreams, StreamRequest } from "../ports.ts";
import { directoryFilter } from "../security/directories.ts";
import { NodeSink, streamHeaders, WebSink } from "./sink.ts";
import type { Sink } from "./sink.ts";
import type { Streams } from "./streams.ts";

/** Serves event streams over HTTP: directly on the socket, or as a response body for in-process callers. */
export function createEventStreams(streams: Streams): EventStreams {
  const serve = async (request: StreamRequest): Promise<Response> => {
    const { context, principal, sessionId, after, deltas, follow, ended } = request;
    const opened = await streams.open({
      sessionId,
      after,
      deltas,
      follow,
      mayUse: sessionId === null ? directoryFilter(principal) : null,
    });
    const begin = (sink: Sink): void => {
      whenGone(sink, ended);
      const running = opened.start(sink);
      closeWith(sink, principal.revoked, () => running.close("revoked"));
    };
    const headers = { ...Object.fromEntries(request.headers), ...streamHeaders };
    const { outgoing }: Partial<HttpBindings> = context.env ?? {};
    if (outgoing === undefined) {
      const sink = new WebSink();
      begin(sink);
      closeWith(sink, context.req.raw.signal, () => sink.end(null));
      return new Response(sink.body, { headers });
    }
    outgoing.writeHead(200, headers);
    outgoing.flushHeaders();
    begin(new NodeSink(outgoing));
    return alreadySent();
  };
  return { session: serve, all: serve };
}

/**
 * Returns a response that tells the HTTP adapter (Hono) to send nothing, because the stream writes to the connection
 * itself. The code must read `body`: until `body` is read, the adapter uses a fast path that ignores the "already sent"
 * header.
 */
function alreadySent(): Response {
  return RESPONSE_ALREADY_SENT.body === null ? RESPONSE_ALREADY_SENT : new Response(null);
}

/** Closes a stream when the signal aborts, and removes the listener when the stream ends. */
function closeWith(sink: Sink, signal: AbortSignal, close: () => void): void {
  if (signal.aborted) {
    close();
    return;
  }
  signal.addEventListener("abort", close, { once: true });
  whenGone(sink, () => signal.removeEventListener("abort", close));
}

function whenGone(sink: Sink, work: () => void): void {
  if (sink.gone.aborted) work();
  else sink.gone.addEventListener("abort", work, { once: true });
}
