import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { ApiError } from "../errors.ts";

/** Rules for the addresses of deliveries: a delivery must not give access to a private network. */
export interface Addresses {
  /** True for a host that is an IP address and not public. */
  isPrivateHost(hostname: string): boolean;
  /** DNS lookup that returns public addresses only. */
  readonly publicLookup: LookupFunction;
}

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal;
}

/** Sends a delivery and returns the HTTP status; throws if there was no response. */
export type Post = (url: string, options: PostOptions) => Promise<number>;

/** Limit for the whole request, in milliseconds. */
export const postTimeout = 10_000;

/** Sends one POST. Follows no redirect and reads only the status of the response. */
export function createPost(options: {
  addresses: Addresses;
  /** True: loopback and private networks are allowed. */
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

/** Checks the URL of a target. Host names are resolved and checked at each delivery. */
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
