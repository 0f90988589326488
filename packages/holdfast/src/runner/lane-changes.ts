import { RunLost } from "../agent/run-lost.ts";
import { RunStopping } from "./committer.ts";
import type { Committer } from "./committer.ts";
import type { LaneHub } from "../log/lane-hub.ts";

/**
 * Watches changes that other processes or people make to a run while its agent works: stops, answers, outcomes, and
 * loss of the run.
 */
export interface LaneChanges {
  /** Resolves with the condition's value when it is not null; rejects if the run stops or is lost first. */
  readonly until: <T>(condition: () => T | null) => Promise<T>;
  /** Waits for the promise, unless the run is lost or interrupted first. */
  readonly unlessLost: <T>(promise: Promise<T>) => Promise<T>;
  /** Checks the conditions of all pending `until` calls against the latest known state of the lane. */
  readonly check: () => void;
  /** Rejects all pending promises of `until` and `unlessLost`. */
  readonly interrupt: (reason: Error) => void;
  /** Rejects all pending and all later promises of `until` and `unlessLost`. */
  readonly lose: (reason: RunLost) => void;
  readonly close: () => void;
}

/**
 * Ends all waits of a run when the run has left this process. One object for all runs, because creating an error takes
 * time.
 */
const runLeft = new RunLost("the run has left this process");

interface Waiter {
  evaluate: () => void;
  reject: (reason: Error) => void;
}

export function watchLane(
  lanes: LaneHub,
  target: { sessionId: string; committer: Committer; controller: AbortController },
): LaneChanges {
  const { committer, controller } = target;
  let lost: RunLost | null = null;
  const waiters = createWaiters(() => lost);
  const { interrupt, wait } = waiters;
  const lose = (reason: RunLost): void => {
    lost ??= reason;
    controller.abort(lost);
    interrupt(lost);
  };
  const check = (): void => {
    try {
      const isStopping = committer.run().condition.status !== "running";
      if (isStopping) controller.abort(new RunStopping());
    } catch (error) {
      if (!(error instanceof RunLost)) throw error;
      lose(error);
      return;
    }
    waiters.evaluate();
  };
  let refreshing = false;
  let wanted = 0;
  const refresh = async (): Promise<void> => {
    if (refreshing) return;
    refreshing = true;
    try {
      // Wait for one turn of the event loop: this run may be writing, and the answer to the write contains the new
      // state, so that no read is needed.
      await new Promise((resolve) => setImmediate(resolve));
      while (committer.lane().seq < wanted) {
        const aim = wanted;
        await committer.refresh();
        check();
        if (committer.lane().seq < aim) wanted = committer.lane().seq;
      }
    } catch {
      // Ignore the error: the store is unavailable. The next signal about this session reads the session again.
    } finally {
      refreshing = false;
    }
  };
  const stopListening = lanes.listen(target.sessionId, (seq) => {
    wanted = Math.max(wanted, seq ?? committer.lane().seq + 1);
    void refresh();
  });

  return {
    check,
    interrupt,
    lose,
    until: (condition) =>
      wait((waiter) => {
        waiter.evaluate = () => {
          const value = condition();
          if (value !== null) waiter.resolve(value);
          else if (controller.signal.aborted) waiter.reject(new RunStopping());
        };
        waiter.evaluate();
      }),
    unlessLost: (promise) => {
      // Nothing handles a failure of this promise after the run is lost, and an unhandled one would end the process.
      promise.catch(() => {});
      return wait((waiter) => {
        promise.then(waiter.resolve, waiter.reject);
      });
    },
    close: () => {
      stopListening();
      lose(runLeft);
    },
  };
}

interface Waiters {
  readonly evaluate: () => void;
  readonly interrupt: (reason: Error) => void;
  readonly wait: <T>(
    attach: (waiter: { resolve: (value: T) => void } & Waiter) => void,
  ) => Promise<T>;
}

/** Creates promises that wait for a change of the lane. If the run is lost, new ones are rejected at once. */
function createWaiters(lost: () => RunLost | null): Waiters {
  const waiters = new Set<Waiter>();
  return {
    evaluate: () => {
      for (const waiter of waiters) waiter.evaluate();
    },
    interrupt: (reason) => {
      for (const waiter of waiters) waiter.reject(reason);
    },
    wait: (attach) =>
      new Promise((resolve, reject) => {
        const waiter: Parameters<typeof attach>[0] = {
          evaluate: () => {},
          resolve: (value) => {
            waiters.delete(waiter);
            resolve(value);
          },
          reject: (reason) => {
            waiters.delete(waiter);
            reject(reason);
          },
        };
        waiters.add(waiter);
        const reason = lost();
        if (reason !== null) waiter.reject(reason);
        else attach(waiter);
      }),
  };
}
