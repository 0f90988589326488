import { Aborted, throwIfAborted } from "./errors.ts";

/** The clock, pauses and randomness. A port, so that time can be moved by hand. */
export interface Timing {
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /** Calls back once after so many milliseconds, unless the returned function is called first. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
  /** From 0 up to 1. */
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
