import type { Clock, Timer } from "../base/time.ts";

/**
 * Searches the store for sessions with work to do: on request, when a session is due, and at a regular interval. Only
 * one search runs at a time.
 */
export interface Scanner {
  request(): void;
  /** Resolves after the first search of the store that succeeds, or when `stop` is called. */
  readonly first: Promise<void>;
  stop(): Promise<void>;
}

export function createScanner(options: {
  /** Checks the store once. Returns the milliseconds until the next check is due; null: the regular interval. */
  scan: () => Promise<number | null>;
  pollEvery: number;
  clock: Clock;
  onError: (error: unknown) => void;
}): Scanner {
  let timer: Timer | null = null;
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  const first = Promise.withResolvers<void>();

  const schedule = (delay: number): void => {
    timer?.cancel();
    if (!stopped) timer = options.clock.after(delay, request);
  };
  const work = async (): Promise<void> => {
    again = false;
    let next: number | null = null;
    try {
      next = await options.scan();
      first.resolve();
    } catch (error) {
      options.onError(error);
    }
    const soon = Math.min(options.pollEvery, Math.max(1, next ?? options.pollEvery));
    schedule(again ? 0 : soon);
  };
  const request = (): void => {
    if (stopped) return;
    if (running !== null) {
      again = true;
      return;
    }
    running = work().finally(() => {
      running = null;
    });
  };
  return {
    request,
    first: first.promise,
    stop: async () => {
      stopped = true;
      first.resolve();
      timer?.cancel();
      await running;
    },
  };
}
