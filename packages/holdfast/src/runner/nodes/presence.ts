import { repeat } from "../../base/repeat.ts";
import type { Repeated } from "../../base/repeat.ts";
import { withTimeout } from "../../base/time.ts";
import type { Clock } from "../../base/time.ts";

/**
 * Which directories are not on this machine. Their lanes are left to nodes that have them; they are
 * looked for again, so that one that is mounted or made later is found by itself.
 */
export interface Presence {
  /** Whether it is here. One that does not answer in time is not. */
  check(directory: string): Promise<boolean>;
  absent(): readonly string[];
  close(): void;
}

const lookEvery = 5_000;
/** A storage that hangs must not hold a claim. */
const patience = 2_000;
/** Then it is forgotten: if lanes still wait for it, the next scan comes upon it again. */
const rememberedFor = 60_000;

export function createPresence(options: {
  /** Null when every directory is taken to be here. */
  isPresent: ((directory: string) => Promise<boolean>) | null;
  /** Lanes in a directory that was not here, or was forgotten, may be looked at again. */
  onFound: (directory: string) => void;
  onError: (error: unknown) => void;
  clock: Clock;
}): Presence {
  const { isPresent, onFound, onError, clock } = options;
  const absent = new Map<string, { since: number }>();
  /** One look at a directory at a time: a storage that hangs is not asked twice. */
  const looks = new Map<string, Promise<boolean>>();
  let looking: Repeated | null = null;
  let isClosed = false;

  const look = (directory: string): Promise<boolean> => {
    const found =
      looks.get(directory) ??
      (isPresent?.(directory) ?? Promise.resolve(true))
        .catch(() => false)
        .finally(() => looks.delete(directory));
    looks.set(directory, found);
    return withTimeout(found, { clock, milliseconds: patience, late: () => false });
  };
  const lookAgain = async (): Promise<void> => {
    const now = clock.monotonic();
    for (const [directory, { since }] of absent) {
      const isOld = now - since > rememberedFor;
      if (!isOld && !(await look(directory))) continue;
      absent.delete(directory);
      onFound(directory);
    }
    if (absent.size === 0) rest();
  };
  const rest = (): void => {
    void looking?.stop();
    looking = null;
  };
  return {
    check: async (directory) => {
      if (isPresent === null) return true;
      if (absent.has(directory)) return false;
      if (await look(directory)) return true;
      absent.set(directory, { since: clock.monotonic() });
      if (isClosed) return false;
      const every = lookEvery;
      looking ??= repeat({ work: lookAgain, first: every, every, onError, clock });
      return false;
    },
    absent: () => [...absent.keys()],
    close: () => {
      isClosed = true;
      rest();
    },
  };
}
