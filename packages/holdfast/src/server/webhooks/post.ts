import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";

/** Which addresses may be called: a webhook must not become a way into a private network. */
export interface Addresses {
  /** The host of an address that is written as a number, and is not public. */
  isPrivateHost(hostname: string): boolean;
  /** Looks names up, and finds public addresses only. */
  readonly publicLookup: LookupFunction;
}

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Sends a delivery and answers the HTTP status; an exception when there was none. */
export type Post = (url: string, options: PostOptions) => Promise<number>;

/** All of it must be over by then, whatever the target does. */
export const postTimeout = 10_000;

/** One POST: follows no redirect, and reads nothing of the answer but its status. */
export function createPost(options: {
  addresses: Addresses;
  /** Loopback and private networks are targets like others. */
  allowPrivate: boolean;
}): Post {
  const { addresses, allowPrivate } = options;
  return (address, { headers, body, signal }) => {
    const url = new URL(address);
    if (!allowPrivate && addresses.isPrivateHost(url.hostname)) {
      return Promise.reject(new Error(`${url.hostname} is not a public address`));
    }
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const start = url.protocol === "https:" ? requestHttps : requestHttp;
    const request = start(url, {
      method: "POST",
      agent: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(postTimeout)]),
      headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
      ...(allowPrivate ? {} : { lookup: addresses.publicLookup }),
    });
    request.once("response", (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.once("error", (error) => reject(signal.aborted ? new Error("stopped") : error));
    request.end(body);
    return promise;
  };
}
