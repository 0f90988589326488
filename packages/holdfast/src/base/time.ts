/** Source of time. Tests replace it with a clock that they advance themselves. */
export interface Clock {
  /** Milliseconds since 1970. The system clock can be changed, even backwards. */
  now(): number;
  /** Milliseconds since an arbitrary start, for durations. Never goes backwards. */
  monotonic(): number;
  /** Calls `callback` once, after at least this many milliseconds, or after `longestTimer` if that is shorter. */
  after(milliseconds: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
  /** Allows the process to exit before the callback is called. */
  unref(): Timer;
}

/** Longest time of a timer in milliseconds, 24.8 days. With a longer time, Node's `setTimeout` fires at once. */
export const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (milliseconds, callback) => {
    const timeout = setTimeout(callback, Math.min(milliseconds, longestTimer));
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

/** Resolves after the given number of milliseconds; rejects with the signal's reason if the signal aborts first. */
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
 * Waits for the work, at most `milliseconds`. After that, returns the result of `late`, which may throw; the work
 * itself continues. Rejects with the signal's reason if the signal aborts first.
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

/**
 * Runs the work with a signal that aborts after `milliseconds`, or when one of `signals` does. Waits for the work, so it
 * must end when its signal aborts. Does not use `AbortSignal.any`: Node can collect a timeout signal in it as garbage.
 */
export async function withDeadline<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  options: {
    readonly milliseconds: number;
    readonly signals?: readonly AbortSignal[];
    readonly clock?: Clock;
  },
): Promise<Value> {
  const { milliseconds, signals = [], clock = systemClock } = options;
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const timer = clock.after(milliseconds, stop);
  for (const signal of signals) {
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  }
  try {
    return await work(controller.signal);
  } finally {
    timer.cancel();
    for (const signal of signals) signal.removeEventListener("abort", stop);
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
    // Throw the abort reason even if the abort made the work fail first with an error of its own.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
