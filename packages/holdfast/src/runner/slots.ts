/** Places for concurrent runs, in all and per directory. A run that waits for another lends its own. */
export interface Slots {
  /** A place, or null when there is none now. Whoever lent one gets it back first. */
  take(directory: string): Slot | null;
  readonly free: number;
  /** Directories without a place; all of them when none is left. */
  full(): readonly string[] | "all";
}

export interface Slot {
  /** Gives the place away while the run waits for something. */
  lend(): Loan;
  release(): void;
}

export interface Loan {
  /** Resolves when the run has a place again, or at once when it is to stop: it only unwinds then. */
  reclaim(signal: AbortSignal): Promise<void>;
}

export interface SlotLimits {
  readonly total: number;
  readonly perDirectory: number;
}

/** `onFree` is told of a free place only where somebody has missed one: most runs leave none behind. */
export function createSlots(limits: SlotLimits, onFree: () => void): Slots {
  const used = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let total = 0;
  /** Somebody found no place, or was not looked for because there was none. */
  let missed = false;

  const fits = (directory: string): boolean =>
    total < limits.total && (used.get(directory) ?? 0) < limits.perDirectory;

  const place: Places = {
    occupy: (directory) => {
      if (!fits(directory)) return false;
      total += 1;
      used.set(directory, (used.get(directory) ?? 0) + 1);
      return true;
    },
    vacate: (directory) => {
      total -= 1;
      const left = (used.get(directory) ?? 1) - 1;
      if (left === 0) used.delete(directory);
      else used.set(directory, left);
      for (const waiter of waiting) waiter.look();
      if (!missed) return;
      missed = false;
      onFree();
    },
    waiting,
  };
  return {
    get free() {
      return limits.total - total;
    },
    full: () => {
      const isFull = total >= limits.total || waiting.size > 0;
      const directories = [...used].flatMap(([directory, count]) =>
        count >= limits.perDirectory ? [directory] : [],
      );
      if (isFull || directories.length > 0) missed = true;
      return isFull ? "all" : directories;
    },
    take: (directory) => {
      const slot =
        waiting.size === 0 && place.occupy(directory) ? openSlot(place, directory) : null;
      if (slot === null) missed = true;
      return slot;
    },
  };
}

interface Places {
  /** False when there is no place. */
  occupy(directory: string): boolean;
  vacate(directory: string): void;
  readonly waiting: Set<Waiter>;
}

interface Waiter {
  look(): void;
}

/** Held, lent, awaited or released: it vacates exactly what it occupies. */
function openSlot(place: Places, directory: string): Slot {
  let holds = true;
  let loans = 0;
  let released = false;
  const wanted = (): boolean => loans === 0 && !released && !holds;

  const reclaim = (signal: AbortSignal): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const finish = (): void => {
      place.waiting.delete(waiter);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const waiter: Waiter = {
      look: () => {
        if (wanted()) holds = place.occupy(directory);
        if (holds || !wanted()) finish();
      },
    };
    place.waiting.add(waiter);
    signal.addEventListener("abort", finish);
    waiter.look();
    if (signal.aborted) finish();
    return promise;
  };
  const vacate = (): void => {
    if (!holds) return;
    holds = false;
    place.vacate(directory);
  };
  return {
    lend: () => {
      loans += 1;
      vacate();
      return {
        reclaim: (signal) => {
          loans -= 1;
          return reclaim(signal);
        },
      };
    },
    release: () => {
      released = true;
      vacate();
    },
  };
}
