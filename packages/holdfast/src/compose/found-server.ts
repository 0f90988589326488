import { findServer } from "../server/discovery.ts";
import type { Discovery } from "../server/discovery.ts";

type Send = (request: Request) => Promise<Response>;

/**
 * Sends requests to a server that was found through its file. Once it does not answer, the file is
 * asked again before anything more is sent: after a restart the server may have another port, and
 * another program the old one, which must not be shown the token.
 */
export function sendToFound(found: { file: string; server: Discovery; send: Send }): Send {
  const { file, server, send } = found;
  let url: string | null = server.url;
  return async (request) => {
    url ??= (await findServer(file))?.url ?? null;
    if (url === null) {
      throw new TypeError("fetch failed", { cause: new Error("the server is away") });
    }
    try {
      return await send(url === server.url ? request : await moved(request, server.url, url));
    } catch (error) {
      if (!request.signal.aborted) url = null;
      throw error;
    }
  };
}

async function moved(request: Request, from: string, to: string): Promise<Request> {
  const { method, headers, signal } = request;
  const body = request.body === null ? {} : { body: await request.arrayBuffer() };
  return new Request(to + request.url.slice(from.length), { method, headers, signal, ...body });
}
