import { createTries, usualBackoff } from "./backoff.ts";
import type { Backoff } from "./backoff.ts";
import { BadAnswer, HoldfastError, Refused, Unavailable, Unreachable } from "./errors.ts";
import { errorOf } from "./error-answer.ts";
import { limited } from "./limited.ts";
import type { Timing } from "./timing.ts";
import { addressOf } from "./address.ts";
import type { Address } from "./address.ts";

/** How requests travel: where to, under whose name, and how long to go on when nobody answers. */
export interface TransportOptions {
  readonly url: string;
  readonly token: string | null;
  readonly client: string | null;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly patience: number;
  /** Milliseconds that one try may take. */
  readonly tryTimeout: number;
  readonly backoff: Backoff;
  readonly timing: Timing;
}

export interface CallOptions {
  /** Ends the call with `Aborted`. What the server has taken on goes on there. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to go on trying while the server does not answer. */
  readonly patience?: number | undefined;
}

export interface Outgoing extends Address {
  readonly method: string;
  readonly body?: RequestBody | undefined;
  readonly accept?: string | undefined;
  /** False: a second sending could do it twice, so a lost answer is not followed by another try. */
  readonly repeatable?: boolean | undefined;
  /** Milliseconds that the server was asked to take its time, on top of a try's usual limit. */
  readonly wait?: number | undefined;
}

export interface RequestBody {
  readonly type: string;
  readonly content: string | Blob | Uint8Array<ArrayBuffer>;
}

export interface Reading<Value> extends CallOptions {
  /** Takes the answer in. It is part of the try: an answer cut in the middle is asked for again. */
  readonly read: (response: Response) => Promise<Value>;
  /**
   * Asked when a second sending is refused, because the first may have been carried out without our
   * hearing of it: looks, and answers in its place, or says null and the refusal stands.
   */
  readonly afterRepeat?: ((refused: Refused) => Promise<Value | null>) | undefined;
}

export interface Transport {
  readonly options: TransportOptions;
  /** Sends until there is an answer. */
  send<Value>(outgoing: Outgoing, reading: Reading<Value>): Promise<Value>;
  /** One sending: a good answer, or an error. */
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

/** An answer in JSON, believed to be what the contract says; null where there is no body. */
export async function readJson<Value>(response: Response): Promise<Value> {
  const text = await response.text();
  try {
    return JSON.parse(text === "" ? "null" : text);
  } catch (error) {
    throw new BadAnswer(`${response.url} answered something else than JSON`, { cause: error });
  }
}

/** How long to wait at least before the next try; null when another try is of no use, or not safe. */
export function nextTry(
  error: unknown,
  outgoing: Pick<Outgoing, "repeatable">,
): { atLeast: number | null } | null {
  const isUntouched = error instanceof Unavailable && untouched.has(error.status);
  if (!isUntouched && outgoing.repeatable === false) return null;
  if (error instanceof Unavailable) return { atLeast: error.retryAfter };
  return error instanceof Unreachable ? { atLeast: null } : null;
}

/** Our own server says these before it does anything; a proxy's 502 and 504 may come after. */
const untouched = new Set([429, 503]);

/** What a failing fetch throws differs from platform to platform; the reason is its innermost cause. */
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
