import type { Timing } from "../../src/timing.ts";

/** A clock that stands still until `during` advances it from timer to timer. */
export interface HandTiming extends Timing {
  /** Waits for the promise. When nothing else can happen, advances time to the next timer. */
  during<Value>(work: Promise<Value>): Promise<Value>;
  /** Number of timers that have neither fired nor been cancelled. */
  pending(): number;
}

/** By default, every pause has its maximum length. */
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

/** Waits until all work that needs no time has finished. */
async function quiet(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((done) => setImmediate(done));
}
