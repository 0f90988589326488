import {
  findServer,
  hasCrashed,
  isAnnounced,
  isEnded,
  readDiscovery,
} from "../server/discovery.ts";
import type { Discovery } from "../server/discovery.ts";

export type Send = (request: Request) => Promise<Response>;

/**
 * Sends requests to the server that a discovery file names, even if the file changes. After the server has ended,
 * another program may listen on its port and must not get the token. So each request first checks the file, and a
 * server must prove its identity before it gets a request. After a lost connection it must do so again: the server may
 * be ending, and the file check alone succeeds as long as its process exists.
 */
export function sendToFound(found: {
  file: string;
  server: Discovery;
  tokenOf: () => string | null;
  /** False: send requests only to this server process, not to a later one on the same store. */
  isFollowed: boolean;
  /** Starts the server again after a crash; null: wait until another process starts it. */
  restart?: (() => Promise<unknown>) | null;
  send: Send;
}): Send {
  const { file, server, tokenOf, isFollowed, restart = null, send } = found;
  let known: Known | null = { server, token: tokenOf() };
  let hasAnswered = false;
  /**
   * True if the server must be started again: it has crashed, or it stopped before it gave this client a first answer.
   * If it stopped after that, without a crash, a person has stopped it, and it stays stopped.
   */
  const needsRestart = (): boolean =>
    restart !== null && (hasCrashed(file) || (!hasAnswered && readDiscovery(file) === null));
  let starting: Promise<void> | null = null;
  let failure: { readonly error: unknown } | null = null;
  /**
   * Starts the server without waiting for it. The request fails and is retried, so that the person learns that the
   * server was gone. If the start fails, the next request throws the error.
   */
  const startAgain = async (): Promise<void> => {
    try {
      await restart?.();
    } catch (error) {
      failure = { error };
    }
    starting = null;
  };
  const findAgain = async (): Promise<Known | null> => {
    const now = await findServer(file);
    if (now !== null) return { server: now, token: tokenOf() };
    if (failure !== null) {
      const { error } = failure;
      failure = null;
      throw error;
    }
    if (needsRestart()) starting ??= startAgain();
    return null;
  };
  return async (request) => {
    if (known !== null && !isAnnounced(file, known.server)) known = null;
    known ??= await findAgain();
    const named = known?.server ?? readDiscovery(file);
    if (!isFollowed && named?.secret !== server.secret) return ended(server);
    if (known === null)
      return starting === null && isEnded(file) ? notRunning(server) : away(server);
    const asked = known;
    const doubt = (): void => {
      if (known === asked) known = null;
    };
    try {
      const response = await send(await addressed(request, server.url, asked));
      hasAnswered ||= response.status !== unavailable;
      if (response.status !== unauthorized) return watched(response, doubt);
      known = await findAgain();
      const isMeant = known?.server.secret === asked.server.secret && known.token === asked.token;
      if (isMeant) return response;
      // Another process refused the request, or the token has changed. Either way the request had no effect, so the
      // client may send it again.
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
const unavailable = 503;

/** Returns the response for an unreachable server. The request was not sent, so the client may retry it. */
function away({ url }: Discovery): Response {
  const error = { code: "unreachable", message: `the server at ${url} is unreachable` };
  return Response.json({ error }, { status: 503 });
}

/** Header of the response for a server that has ended and that is not started again. */
export const endedHeader = "x-holdfast-ended";

/** Returns the response for a server that has ended. The client may retry: a person can start a server. */
function notRunning({ url }: Discovery): Response {
  const error = { code: "unreachable", message: `the server at ${url} is not running` };
  return Response.json({ error }, { status: 503, headers: { [endedHeader]: "true" } });
}

/**
 * Returns the error for a client that may use only one server process, after that process has ended. The status 410
 * means that a retry is useless.
 */
function ended({ url }: Discovery): Response {
  const error = { code: "noServer", message: `the server at ${url} has ended` };
  return Response.json({ error }, { status: 410 });
}

/** Calls `onEnd` when an event stream ends, because its server may have ended. */
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
