/** Places for concurrent runs, in all and per directory. A run that waits for another lends its own. */
export interface Slots {
  /** A place, or null when there is none now. Whoever lent one gets it back first. */
  take(directory: string): Slot | null;
  readonly free: number;
}

export interface Slot {
  /** Gives the place away while the run waits; the promise is kept when it has one again. */
  lend(): { reclaim(): Promise<void> };
  release(): void;
}

export interface SlotLimits {
  readonly total: number;
  readonly perDirectory: number;
}

export function createSlots(limits: SlotLimits, onFree: () => void): Slots {
  const used = new Map<string, number>();
  const waiting: { directory: string; proceed: () => void }[] = [];
  let total = 0;

  const fits = (directory: string): boolean =>
    total < limits.total && (used.get(directory) ?? 0) < limits.perDirectory;

  const occupy = (directory: string): void => {
    total += 1;
    used.set(directory, (used.get(directory) ?? 0) + 1);
  };

  const vacate = (directory: string): void => {
    total -= 1;
    const left = (used.get(directory) ?? 1) - 1;
    if (left === 0) used.delete(directory);
    else used.set(directory, left);
    const next = waiting.findIndex((waiter) => fits(waiter.directory));
    const [waiter] = next === -1 ? [] : waiting.splice(next, 1);
    if (waiter === undefined) {
      onFree();
      return;
    }
    occupy(waiter.directory);
    waiter.proceed();
  };

  const reclaim = (directory: string): Promise<void> => {
    if (fits(directory)) {
      occupy(directory);
      return Promise.resolve();
    }
    return new Promise((proceed) => waiting.push({ directory, proceed }));
  };

  return {
    get free() {
      return limits.total - total;
    },
    take: (directory) => {
      if (!fits(directory) || waiting.some((waiter) => fits(waiter.directory))) return null;
      occupy(directory);
      return openSlot({ vacate: () => vacate(directory), reclaim: () => reclaim(directory) });
    },
  };
}

/** Held, lent or released; each change happens once, however often it is asked for. */
function openSlot(place: { vacate: () => void; reclaim: () => Promise<void> }): Slot {
  let lenders = 0;
  let released = false;
  return {
    lend: () => {
      lenders += 1;
      if (lenders === 1 && !released) place.vacate();
      return {
        reclaim: async () => {
          lenders -= 1;
          if (lenders > 0 || released) return;
          await place.reclaim();
          // The run ended while its place was on the way back.
          if (released) place.vacate();
        },
      };
    },
    release: () => {
      if (released) return;
      released = true;
      if (lenders === 0) place.vacate();
    },
  };
}
