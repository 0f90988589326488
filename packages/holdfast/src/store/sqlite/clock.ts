import { uptime } from "node:os";

/** Milliseconds since 1970 by the store's own clock, which never runs back. */
export type Clock = () => number;

/** The clocks of a machine, in milliseconds. */
export interface MachineClocks {
  /** Time of day. It counts sleep, and somebody can set it. */
  readonly wall: Clock;
  /** Time since some moment. Nobody can set it; on most systems it stands still during sleep. */
  readonly monotonic: Clock;
  /** Time since the machine was started, with sleep; coarse, and slow to read. */
  readonly uptime: Clock;
}

/** Smaller steps of the wall clock are followed as they are; a small step back makes the clock wait. */
const tolerance = 1_000;

/**
 * The machine's wall clock made monotonic. Sleep counts. After the wall clock was set back, the store's
 * clock goes on from where it was and leads; setting the wall clock ahead uses up that lead first.
 * The clock never runs behind `newest`, the last time that the store has written.
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

/** A given clock, held to the same promise. */
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
