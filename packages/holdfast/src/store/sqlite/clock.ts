import { uptime } from "node:os";

/** The store's clock in milliseconds since 1970. It never goes backwards. */
export type Clock = () => number;

/** The clocks of a machine, in milliseconds. */
export interface MachineClocks {
  /** Time of day. It advances during sleep and can be set by a person. */
  readonly wall: Clock;
  /** Time since an arbitrary moment. It cannot be set; on most systems it stops during sleep. */
  readonly monotonic: Clock;
  /** Time since the machine started, including sleep; coarse and slow to read. */
  readonly uptime: Clock;
}

/**
 * Tolerance in milliseconds. The store's clock follows smaller changes of the wall clock. After a small change
 * backwards, the store's clock stands still until the wall clock has caught up.
 */
const tolerance = 1_000;

/**
 * Makes the machine's wall clock monotonic. Time in which the machine sleeps counts. If the wall clock is set back,
 * this clock continues and is then ahead of the wall clock. If the wall clock is set forward later, this clock jumps
 * only if the wall clock overtakes it. Never returns a time before `newest`, the last time that the store has written.
 */
export function systemClock(newest: number, machine: MachineClocks = thisMachine): Clock {
  const sleep = (): number => machine.uptime() - machine.monotonic();
  let wall = machine.wall();
  let monotonic = machine.monotonic();
  let slept = sleep();
  let lead = Math.max(0, newest - wall);
  let last = newest;
  return () => {
    const before = wall - monotonic;
    wall = machine.wall();
    monotonic = machine.monotonic();
    const moved = wall - monotonic - before;
    if (Math.abs(moved) > tolerance) {
      const sleptBefore = slept;
      slept = sleep();
      const asleep = Math.max(0, slept - sleptBefore);
      lead = Math.max(0, lead + asleep - moved);
    }
    last = Math.max(last, Math.floor(wall + lead));
    return last;
  };
}

/** Makes a given clock monotonic. */
export function neverBack(clock: Clock, newest: number): Clock {
  let last = newest;
  return () => {
    last = Math.max(last, clock());
    return last;
  };
}

const thisMachine: MachineClocks = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1_000,
};
