import type { Clock, Timer } from "../../src/base/time.ts";

/** A clock that stands still until a test moves it. */
export interface HandClock extends Clock {
  /** Advances the clock by this time, and fires due timers in order. */
  move(milliseconds: number): Promise<void>;
  /** Number of timers that have not fired yet. */
  pending(): number;
}

export function createHandClock(): HandClock {
  const calls = new Set<{ readonly at: number; readonly callback: () => void }>();
  let now = Date.UTC(2030, 0, 1);
  return {
    now: () => now,
    monotonic: () => now,
    after: (milliseconds, callback) => {
      const call = { at: now + milliseconds, callback };
      calls.add(call);
      const timer: Timer = { cancel: () => void calls.delete(call), unref: () => timer };
      return timer;
    },
    move: async (milliseconds) => {
      await settled();
      const end = now + milliseconds;
      for (;;) {
        const due = [...calls].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        now = Math.max(now, due.at);
        calls.delete(due);
        due.callback();
        await settled();
      }
      now = end;
      await settled();
    },
    pending: () => calls.size,
  };
}

/** Resolves when all work that needs no time has finished. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
