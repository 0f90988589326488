import type { Clock, Timer } from "../../base/time.ts";

/** Checks the maintenance actions in the store: on request and at a regular interval. Only one check runs at a time. */
export interface Scanner {
  request(): void;
  /** Resolves when the check in progress has ended. */
  stop(): Promise<void>;
}

export function createScanner(options: {
  scan: () => Promise<void>;
  pollEvery: number;
  clock: Clock;
  onError: (error: unknown) => void;
}): Scanner {
  let timer: Timer | null = null;
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;

  const schedule = (delay: number): void => {
    timer?.cancel();
    if (!stopped) timer = options.clock.after(delay, request);
  };
  const work = async (): Promise<void> => {
    again = false;
    try {
      await options.scan();
    } catch (error) {
      options.onError(error);
    }
    schedule(again ? 0 : options.pollEvery);
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
    stop: async () => {
      stopped = true;
      timer?.cancel();
      await running;
    },
  };
}
