/** A run's slot among the concurrent runs of this process. While a run waits, it lends its slot to other runs. */
export interface Place {
  lend(): Loan;
  /** Called when the scheduler has returned the slot to the run. */
  resume(): void;
}

export interface Loan {
  /**
   * Takes the slot back for the run. Resolves when the run has the slot. Resolves at once, without the slot, in two
   * cases: the run still waits for something else and needs no slot yet, or the signal aborts (a stopping run only
   * cleans up and needs no slot).
   */
  reclaim(signal: AbortSignal): Promise<void>;
}

/** Creates the slot of a run. `report` tells the scheduler that the run lends its slot or wants it back. */
export function openPlace(report: (change: "lent" | "returning") => void): Place {
  let loans = 0;
  const waiters = new Set<() => void>();
  const resume = (): void => {
    for (const resolve of waiters) resolve();
    waiters.clear();
  };
  const reclaim = (signal: AbortSignal): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      if (waiters.delete(resolve) && loans === 0) report("lent");
      resolve();
    };
    waiters.add(resolve);
    signal.addEventListener("abort", giveUp);
    report("returning");
    if (signal.aborted) giveUp();
    return promise.finally(() => signal.removeEventListener("abort", giveUp));
  };
  return {
    lend: () => {
      loans += 1;
      if (loans === 1) report("lent");
      resume();
      return {
        reclaim: async (signal) => {
          loans -= 1;
          if (loans === 0) await reclaim(signal);
        },
      };
    },
    resume,
  };
}
