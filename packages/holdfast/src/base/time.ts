/** Time as a parameter, so that tests can move it by hand. */
export interface Clock {
  /** Milliseconds since 1970. People can change this clock, even backwards. */
  now(): number;
  /** Milliseconds since an arbitrary start, for durations. Never goes backwards. */
  monotonic(): number;
  /** Calls back once, after at least this time. */
  after(milliseconds: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
  /** Lets the process exit before the callback. */
  unref(): Timer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (milliseconds, callback) => {
    const timeout = setTimeout(callback, milliseconds);
    const timer: Timer = {
      cancel: () => clearTimeout(timeout),
      unref: () => {
        timeout.unref();
        return timer;
      },
    };
    return timer;
  },
};

/** Resolves after this time; rejects with the signal's reason if the signal aborts first. */
export async function sleep(
  milliseconds: number,
  options: {
    readonly clock?: Clock;
    readonly signal?: AbortSignal | undefined;
    /** False: the process may exit during the sleep. */
    readonly keepsAlive?: boolean;
  } = {},
): Promise<void> {
  const { clock = systemClock, signal, keepsAlive = true } = options;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(milliseconds, resolve);
  if (!keepsAlive) timer.unref();
  try {
    await unlessAborted(promise, signal);
  } finally {
    timer.cancel();
  }
}

/**
 * Waits for the work, but no longer than this time. After this time, `late` returns the value to use instead, or
 * throws. The work itself continues. Rejects with the signal's reason if the signal aborts first.
 */
export async function withTimeout<Value, Late>(
  work: Promise<Value>,
  options: {
    readonly milliseconds: number;
    readonly late: () => Late;
    readonly clock?: Clock;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Value | Late> {
  const { milliseconds, late, clock = systemClock, signal } = options;
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(milliseconds, resolve);
  try {
    return await unlessAborted(Promise.race([work, timeout.then(late)]), signal);
  } finally {
    timer.cancel();
  }
}

/** Waits for the work; rejects with the signal's reason if the signal aborts first. */
export async function unlessAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    // Throws the abort reason even if the work noticed the abort first and failed with its own error.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
