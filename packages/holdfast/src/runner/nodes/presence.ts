import { repeat } from "../../base/repeat.ts";
import type { Repeated } from "../../base/repeat.ts";
import { withTimeout } from "../../base/time.ts";
import type { Clock } from "../../base/time.ts";

/**
 * Tracks directories that are not on this machine, whose lanes run on other nodes. These directories are checked
 * again regularly, so that a directory that is mounted or created later is found.
 */
export interface Presence {
  /** Returns true if the directory is here. A directory that does not answer in time counts as absent. */
  check(directory: string): Promise<boolean>;
  absent(): readonly string[];
  close(): void;
}

const lookEvery = 5_000;
/** Milliseconds to wait for a directory: a hanging file system must not block a claim. */
const patience = 2_000;
/**
 * Milliseconds until an absent directory is forgotten. If lanes still wait for it, the next scan finds it
 * again.
 */
const rememberedFor = 60_000;

export function createPresence(options: {
  /** Null: assume that every directory is here. */
  isPresent: ((directory: string) => Promise<boolean>) | null;
  /** Called when an absent directory is found or forgotten: its lanes may be checked again. */
  onFound: (directory: string) => void;
  onError: (error: unknown) => void;
  clock: Clock;
}): Presence {
  const { isPresent, onFound, onError, clock } = options;
  const absent = new Map<string, { since: number }>();
  /** One check per directory at a time: a hanging file system is not asked twice. */
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
