import { createTries, usualBackoff } from "./backoff.ts";
import type { Backoff } from "./backoff.ts";
import { BadAnswer, HoldfastError, Refused, Unavailable, Unreachable } from "./errors.ts";
import { errorOf } from "./error-answer.ts";
import { limited } from "./limited.ts";
import type { Timing } from "./timing.ts";
import { addressOf } from "./address.ts";
import type { Address } from "./address.ts";

/** Address, credentials and retry limits of all requests. */
export interface TransportOptions {
  readonly url: string;
  readonly token: string | null;
  readonly client: string | null;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly patience: number;
  /** Timeout of one attempt in milliseconds. */
  readonly tryTimeout: number;
  readonly backoff: Backoff;
  readonly timing: Timing;
}

/** Options that every method takes. */
export interface CallOptions {
  /** Ends the call with `Aborted`. Work that the server has accepted continues. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to keep retrying while the server does not answer. */
  readonly patience?: number | undefined;
}

export interface Outgoing extends Address {
  readonly method: string;
  readonly body?: RequestBody | undefined;
  readonly accept?: string | undefined;
  /** False: no retry after a lost answer, because the request could be carried out twice. */
  readonly repeatable?: boolean | undefined;
  /** Milliseconds to add to the timeout of an attempt, for requests that the server answers late. */
  readonly wait?: number | undefined;
}

export interface RequestBody {
  readonly type: string;
  readonly content: string | Blob | Uint8Array<ArrayBuffer>;
}

export interface Reading<Value> extends CallOptions {
  /** Reads the response body. If the body is cut off, the request is retried. */
  readonly read: (response: Response) => Promise<Value>;
  /**
   * Called if a retry is refused, because the first attempt may have been carried out and its answer lost.
   * Returns the missing answer, or null to keep the refusal.
   */
  readonly afterRepeat?: ((refused: Refused) => Promise<Value | null>) | undefined;
}

export interface Transport {
  readonly options: TransportOptions;
  /** Sends a request, with retries, until there is an answer. */
  send<Value>(outgoing: Outgoing, reading: Reading<Value>): Promise<Value>;
  /** Sends a request once. */
  sendOnce(outgoing: Outgoing, signal: AbortSignal): Promise<Response>;
}

export const usualTransport = {
  patience: 60_000,
  tryTimeout: 30_000,
  backoff: usualBackoff,
} as const;

export function createTransport(options: TransportOptions): Transport {
  const { timing } = options;
  const sendOnce = async (outgoing: Outgoing, signal: AbortSignal): Promise<Response> => {
    const request = requestOf(options, outgoing, signal);
    const response = await answered(options.url, () => options.fetch(request));
    if (response.ok) return response;
    throw await errorOf(response);
  };
  return {
    options,
    sendOnce,
    send: async (outgoing, { signal, patience = options.patience, read, afterRepeat }) => {
      const tries = createTries(timing, { backoff: options.backoff, patience });
      const timeout = options.tryTimeout + (outgoing.wait ?? 0);
      let isRepeated = false;
      for (;;) {
        try {
          return await limited(timing, { signal, timeout }, async (signal) => {
            const response = await sendOnce(outgoing, signal);
            return answered(options.url, () => read(response));
          });
        } catch (error) {
          if (isRepeated && error instanceof Refused) {
            const value = (await afterRepeat?.(error)) ?? null;
            if (value !== null) return value;
          }
          const again = nextTry(error, outgoing);
          if (again === null || !(await tries.wait({ ...again, signal }))) throw error;
          isRepeated = true;
        }
      }
    },
  };
}

/** Parses a JSON answer without checking it against the contract. An empty body is null. */
export async function readJson<Value>(response: Response): Promise<Value> {
  const text = await response.text();
  try {
    return JSON.parse(text === "" ? "null" : text);
  } catch (error) {
    throw new BadAnswer(`${response.url} did not answer with JSON; check the url`, {
      cause: error,
    });
  }
}

/** Returns the minimum pause before a retry in milliseconds, or null if a retry is useless or unsafe. */
export function nextTry(
  error: unknown,
  outgoing: Pick<Outgoing, "repeatable">,
): { atLeast: number | null } | null {
  const isUntouched = error instanceof Unavailable && untouched.has(error.status);
  if (!isUntouched && outgoing.repeatable === false) return null;
  if (error instanceof Unavailable) return { atLeast: error.retryAfter };
  return error instanceof Unreachable ? { atLeast: null } : null;
}

/**
 * Statuses which mean that the request had no effect. 502 and 504 are not among them: a proxy may send these although
 * the request had an effect.
 */
const untouched = new Set([429, 503]);

/**
 * Calls `work`, and throws `Unreachable` if fetch fails. The message quotes the cause of the error if there is one,
 * because Node's own message is only "fetch failed".
 */
export async function answered<Value>(url: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HoldfastError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error && cause.message !== "" ? cause.message : String(cause);
    throw new Unreachable(`${url} does not answer: ${reason}`, { cause: error });
  }
}

function requestOf(options: TransportOptions, outgoing: Outgoing, signal: AbortSignal): Request {
  const { method, body, accept = "application/json" } = outgoing;
  const headers = new Headers({ accept });
  if (options.token !== null) headers.set("authorization", `Bearer ${options.token}`);
  if (options.client !== null) headers.set("x-holdfast-client", options.client);
  if (body !== undefined) headers.set("content-type", body.type);
  const content = body === undefined ? {} : { body: body.content };
  return new Request(addressOf(options.url, outgoing), { method, headers, signal, ...content });
}
