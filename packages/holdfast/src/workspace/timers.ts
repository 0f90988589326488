/** Time as the host sees it: passed in, so that it can be moved by hand. */
export interface Timers {
  now(): number;
  /** Calls back once, not before the time is over. */
  after(milliseconds: number, callback: () => void): PendingCall;
}

export interface PendingCall {
  cancel(): void;
  /** The process need not stay alive for it. */
  unref(): void;
}

export const systemTimers: Timers = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return { cancel: () => clearTimeout(timer), unref: () => timer.unref() };
  },
};

/** What the work comes to, unless the time is over first or nobody wants it any more. */
export async function within<T>(
  bound: {
    timers: Timers;
    milliseconds: number;
    /** What is thrown when the time is over. */
    late: () => Error;
    signal?: AbortSignal;
  },
  work: Promise<T>,
): Promise<T> {
  const { timers, milliseconds, late, signal } = bound;
  const { promise: cut, reject } = Promise.withResolvers<never>();
  const timer = timers.after(milliseconds, () => reject(late()));
  try {
    return await unlessAborted(Promise.race([work, cut]), signal);
  } finally {
    timer.cancel();
  }
}

/** Waits for the end of the work, whatever it comes to, unless the time is over first. */
export async function waitFor(
  bound: { timers: Timers; milliseconds: number; signal: AbortSignal | undefined },
  work: Promise<unknown>,
): Promise<void> {
  const { timers, milliseconds, signal } = bound;
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = timers.after(milliseconds, resolve);
  try {
    await unlessAborted(Promise.race([work, late]), signal);
  } finally {
    timer.cancel();
  }
}

/** What the work comes to, unless nobody wants it any more. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: cut, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(abortError());
  signal?.addEventListener("abort", abort);
  if (signal?.aborted === true) abort();
  try {
    return await Promise.race([work, cut]);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** Nobody waits any more, or everything is being closed: no failure of anybody's. */
export function abortError(): Error {
  return new DOMException("no generation is wanted any more", "AbortError");
}
