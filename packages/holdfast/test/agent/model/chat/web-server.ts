import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { listen } from "../../../server/stream/listen.ts";

export interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts a server that answers each request with the given function. Returns its address. */
export async function serveWeb(
  context: TestContext,
  answer: (seen: Seen, response: ServerResponse) => void,
): Promise<string> {
  const port = await listen(context, (request, response) => {
    const { method, url, headers } = request;
    void text(request).then((body) => answer({ method, url, headers, body }, response));
  });
  return `http://127.0.0.1:${port}`;
}
