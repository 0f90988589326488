/** Milliseconds since 1970 by the store's own clock, which never runs back. */
export type Clock = () => number;

/**
 * The machine's clock at the start, then monotonic time, so that setting the machine's clock moves
 * no lease; and never behind what the store has seen, also when the clock was set back meanwhile.
 */
export function systemClock(newest: number): Clock {
  const offset = Math.max(0, newest - wallTime());
  return () => Math.floor(wallTime() + offset);
}

/** A given clock, held to the same promise. */
export function neverBack(clock: Clock, newest: number): Clock {
  let last = newest;
  return () => {
    last = Math.max(last, clock());
    return last;
  };
}

function wallTime(): number {
  return performance.timeOrigin + performance.now();
}
