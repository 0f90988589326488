import { findServer, isAnnounced, readDiscovery } from "../server/discovery.ts";
import type { Discovery } from "../server/discovery.ts";

export type Send = (request: Request) => Promise<Response>;

/**
 * Sends requests to a server that was found through its file, wherever it is by now. When it has ended,
 * others may have its port: they must neither be shown the token nor be believed. So the file is looked
 * at before each request. Whoever it names proves itself before anything is sent to it, and again after
 * a connection was lost: a process that ends is there a little longer than its connections.
 */
export function sendToFound(found: {
  file: string;
  server: Discovery;
  tokenOf: () => string | null;
  /** False: only to this very process, not to a later one on the same store. */
  isFollowed: boolean;
  send: Send;
}): Send {
  const { file, server, tokenOf, isFollowed, send } = found;
  let known: Known | null = { server, token: tokenOf() };
  const lookAgain = async (): Promise<Known | null> => {
    const now = await findServer(file);
    return now === null ? null : { server: now, token: tokenOf() };
  };
  return async (request) => {
    if (known !== null && !isAnnounced(file, known.server)) known = null;
    known ??= await lookAgain();
    const named = known?.server ?? readDiscovery(file);
    if (!isFollowed && named?.secret !== server.secret) return ended(server);
    if (known === null) return away(server);
    const asked = known;
    const doubt = (): void => {
      if (known === asked) known = null;
    };
    try {
      const response = await send(await addressed(request, server.url, asked));
      if (response.status !== unauthorized) return watched(response, doubt);
      known = await lookAgain();
      const isMeant = known?.server.secret === asked.server.secret && known.token === asked.token;
      if (isMeant) return response;
      // Somebody else has said so, or of another token: nothing was done, and it is worth another try.
      await response.body?.cancel();
      return away(server);
    } catch (error) {
      if (!request.signal.aborted) doubt();
      throw error;
    }
  };
}

interface Known {
  readonly server: Discovery;
  readonly token: string | null;
}

const unauthorized = 401;

/** Said in the server's place: nothing has happened, so that anything may be sent again. */
function away({ url }: Discovery): Response {
  const error = { code: "unreachable", message: `the server that was at ${url} is away` };
  return Response.json({ error }, { status: 503 });
}

/** For who means no other: waiting is of no use. */
function ended({ url }: Discovery): Response {
  const error = { code: "noServer", message: `the server that was at ${url} has ended meanwhile` };
  return Response.json({ error }, { status: 410 });
}

/** A stream of events goes on for as long as its server does. */
function watched(response: Response, onEnd: () => void): Response {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (!isStream || response.body === null) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}

async function addressed(request: Request, from: string, to: Known): Promise<Request> {
  const { url } = to.server;
  const sent = url === from ? request : await moved(request, url + request.url.slice(from.length));
  if (to.token !== null) sent.headers.set("authorization", `Bearer ${to.token}`);
  return sent;
}

async function moved(request: Request, url: string): Promise<Request> {
  const { method, headers, signal } = request;
  const body = request.body === null ? {} : { body: await request.arrayBuffer() };
  return new Request(url, { method, headers, signal, ...body });
}
