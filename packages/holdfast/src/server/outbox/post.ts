import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { withDeadline } from "../../base/time.ts";
import { ApiError } from "../errors.ts";

/** Address rules for deliveries, which must not reach private networks. */
export interface Addresses {
  /** True if the host is an IP address that is not public. */
  isPrivateHost(hostname: string): boolean;
  /** DNS lookup that returns only public addresses. */
  readonly publicLookup: LookupFunction;
}

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal;
}

/** Sends a request and returns the HTTP status; throws if there was no response. */
export type Post = (url: string, options: PostOptions) => Promise<number>;

/** Timeout of the whole request, in milliseconds. */
export const postTimeout = 10_000;

/**
 * Returns a function that sends one POST request. It follows no redirects and reads only the status of the response.
 */
export function createPost(options: {
  addresses: Addresses;
  /** True: loopback addresses and private networks are allowed. */
  allowPrivate: boolean;
}): Post {
  const { addresses, allowPrivate } = options;
  return (address, { headers, body, signal }) => {
    const url = new URL(address);
    if (!allowPrivate && addresses.isPrivateHost(url.hostname)) {
      return Promise.reject(new Error(`${url.hostname} is not a public address`));
    }
    const send = (end: AbortSignal): Promise<number> => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const start = url.protocol === "https:" ? requestHttps : requestHttp;
      const request = start(url, {
        method: "POST",
        agent: false,
        signal: end,
        headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
        ...(allowPrivate ? {} : { lookup: addresses.publicLookup }),
      });
      request.once("response", (response) => {
        resolve(response.statusCode ?? 0);
        response.destroy();
      });
      request.once("error", (error) => {
        if (signal.aborted) reject(new Error("stopped"));
        else reject(end.aborted ? new Error(`no response within ${postTimeout / 1_000} s`) : error);
      });
      request.end(body);
      return promise;
    };
    return withDeadline(send, { milliseconds: postTimeout, signals: [signal] });
  };
}

/** Checks the URL of a target. A host name is resolved and checked again at each delivery. */
export function checkTarget(
  address: string,
  options: { addresses: Addresses; allowPrivate: boolean; field: string },
): void {
  const { addresses, allowPrivate, field } = options;
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ApiError("invalid", `${field} must be an http or https address`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ApiError("invalid", `${field} must not contain a user name or password`);
  }
  if (!allowPrivate && addresses.isPrivateHost(url.hostname)) {
    const advice = "to allow such targets, start the server with --allow-private-webhooks";
    throw new ApiError("invalid", `${url.hostname} is not a public address; ${advice}`);
  }
}
