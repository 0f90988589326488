import { Aborted, throwIfAborted } from "./errors.ts";

/** Clock, timers and randomness. Tests replace them. */
export interface Timing {
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
  /** Starts a timer. The returned function cancels it. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
  /** Random number from 0 to 1. */
  readonly random: () => number;
}

export const systemTiming: Timing = {
  now: () => performance.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

export function pause(
  timing: Timing,
  options: { milliseconds: number; signal: AbortSignal | undefined },
): Promise<void> {
  const { milliseconds, signal } = options;
  return new Promise((done, fail) => {
    throwIfAborted(signal);
    const stop = (): void => {
      cancel();
      if (signal !== undefined) fail(new Aborted(signal));
    };
    const cancel = timing.after(milliseconds, () => {
      signal?.removeEventListener("abort", stop);
      done();
    });
    signal?.addEventListener("abort", stop, { once: true });
  });
}
