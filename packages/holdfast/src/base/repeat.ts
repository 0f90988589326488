import { systemClock } from "./time.ts";
import type { Clock, Timer } from "./time.ts";

export interface Repeated {
  /** Stops repeating the work. Resolves when the execution in progress has ended. */
  stop(): Promise<void>;
}

/**
 * Runs the work once after `first` milliseconds, and then again `every` milliseconds after each run has ended. Does not
 * keep the process alive.
 */
export function repeat(options: {
  readonly work: () => Promise<void> | void;
  readonly first: number;
  readonly every: number;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}): Repeated {
  const { work, first, every, onError, clock = systemClock } = options;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let pending: Timer | null = null;
  const workOnce = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onError(error);
    }
    schedule(every);
  };
  const schedule = (delay: number): void => {
    if (stopped) return;
    const timer = clock.after(delay, () => {
      running = workOnce();
    });
    pending = timer.unref();
  };
  schedule(first);
  return {
    stop: async () => {
      stopped = true;
      pending?.cancel();
      await running;
    },
  };
}
