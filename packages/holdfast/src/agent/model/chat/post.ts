import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isRedirect, redirected } from "../one-origin.ts";

/** Sends a POST request and resolves when the response starts. The signals can abort it at any time. */
export type Post = (posting: Posting) => Promise<Posted>;

export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signals: readonly AbortSignal[];
}

export interface Posted {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Uses Node's HTTP client, because `fetch` spends a third of its time on streams that are not needed here. */
export const post: Post = async (posting) => {
  let { url } = posting;
  for (let redirects = 0; ; redirects += 1) {
    const message = await send({ ...posting, url }, { mayRepeat: true });
    const { statusCode: status = 0, statusMessage: statusText = "" } = message;
    const { location } = message.headers;
    if (isRedirect(status) && location !== undefined) {
      message.resume();
      url = redirected(url, { location, redirects });
      continue;
    }
    const headers = Object.entries(message.headersDistinct).map(([name, values = []]) => [
      name,
      values.join(", "),
    ]);
    return { status, statusText, headers: Object.fromEntries(headers), body: message };
  }
};

function send(posting: Posting, { mayRepeat }: { mayRepeat: boolean }): Promise<IncomingMessage> {
  const { url, headers, body, signals } = posting;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const begin = url.startsWith("https:") ? httpsRequest : httpRequest;
  const request = begin(url, {
    method: "POST",
    headers: {
      "accept-encoding": "identity",
      "content-length": Buffer.byteLength(body),
      ...headers,
    },
  });
  const stop = (): void => {
    // If the response has just ended, Node no longer listens for errors of the socket. An unhandled error would end the
    // process.
    request.socket?.on("error", () => {});
    request.destroy(signals.find(({ aborted }) => aborted)?.reason);
  };
  for (const signal of signals) signal.addEventListener("abort", stop);
  request.once("close", () => {
    for (const signal of signals) signal.removeEventListener("abort", stop);
  });
  let hasAnswer = false;
  request.once("response", (message) => {
    hasAnswer = true;
    resolve(message);
  });
  request.on("error", (error: NodeJS.ErrnoException) => {
    // The server closed the kept-alive connection without reading the request. Send it again.
    const isClosed = error.code === "ECONNRESET" || error.code === "EPIPE";
    // Do not request an answer again after its start: the caller reads only the first response.
    const isStale = request.reusedSocket && isClosed && !hasAnswer;
    const isWanted = signals.every(({ aborted }) => !aborted);
    if (mayRepeat && isStale && isWanted) resolve(send(posting, { mayRepeat: false }));
    else reject(error);
  });
  if (signals.some(({ aborted }) => aborted)) stop();
  request.end(body);
  return promise;
}
