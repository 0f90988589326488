import { repeat } from "../../base/repeat.ts";
import type { Repeated } from "../../base/repeat.ts";
import { withTimeout } from "../../base/time.ts";
import type { Clock } from "../../base/time.ts";

/**
 * Tracks directories that are not on this machine; their lanes run on other nodes. The directories are checked
 * regularly, because one may be mounted or created later.
 */
export interface Presence {
  /** Returns true if the directory is on this machine. A directory that does not answer in time counts as absent. */
  check(directory: string): Promise<boolean>;
  absent(): readonly string[];
  close(): void;
}

const lookEvery = 5_000;
/** Milliseconds to wait for an answer of a file system. A file system that hangs must not block the start of runs. */
const patience = 2_000;
/**
 * Milliseconds after which an absent directory is forgotten. If lanes still wait for it, the next scan checks it again.
 */
const rememberedFor = 60_000;

export function createPresence(options: {
  /** Returns true if the directory is on this machine. Null: every directory is assumed to be here. */
  isPresent: ((directory: string) => Promise<boolean>) | null;
  /**
   * Called when a missing directory exists again. Also called after `rememberedFor` milliseconds, even if the directory
   * is still missing. The sessions in this directory are then checked again.
   */
  onFound: (directory: string) => void;
  onError: (error: unknown) => void;
  clock: Clock;
}): Presence {
  const { isPresent, onFound, onError, clock } = options;
  const absent = new Map<string, { since: number }>();
  /**
   * Running checks of whether a directory exists, by directory. A check can hang if the file system hangs, so only one
   * check per directory runs at a time.
   */
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
