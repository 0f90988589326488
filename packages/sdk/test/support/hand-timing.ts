import type { Timing } from "../../src/timing.ts";

/** Time that stands still until `during` moves it, from timer to timer. */
export interface HandTiming extends Timing {
  /** Waits for the promise; whenever nothing else happens, time goes on to the next timer. */
  during<Value>(work: Promise<Value>): Promise<Value>;
  /** Timers that are set and neither fired nor cancelled. */
  pending(): number;
}

/** Without variation: each pause is as long as it may be. */
export function handTiming(random: () => number = () => 1): HandTiming {
  let time = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  const fireNext = (): void => {
    const [next] = [...timers].toSorted((left, right) => left.at - right.at);
    if (next === undefined) return;
    timers.delete(next);
    time = Math.max(time, next.at);
    next.callback();
  };
  return {
    now: () => time,
    random,
    after: (milliseconds, callback) => {
      const timer = { at: time + milliseconds, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pending: () => timers.size,
    during: async (work) => {
      const progress = { isOver: false };
      const over = (): void => {
        progress.isOver = true;
      };
      work.then(over, over);
      for (;;) {
        await quiet();
        if (progress.isOver) return work;
        fireNext();
      }
    },
  };
}

/** Until what could go on without time has gone on. */
async function quiet(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((done) => setImmediate(done));
}
