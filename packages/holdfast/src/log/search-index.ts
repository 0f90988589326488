import { setImmediate as nextRound } from "node:timers/promises";
import { withTimeout } from "../base/time.ts";
import { StoreError } from "../store/store-error.ts";
import type { Store } from "../store/store.ts";
import { createIndexStep } from "./search-step.ts";

/**
 * Adds new events to the search index by reading the feed, so that commits need not write to the index. Before each
 * search, the index is brought up to date.
 */
export interface SearchIndex {
  /**
   * Indexes new events and waits for at most this number of milliseconds. Returns true if the index is complete up to
   * the last event that was committed before the call. A damaged index is emptied and built again.
   */
  catchUp(milliseconds: number): Promise<boolean>;
}

export interface SearchIndexOptions {
  /** Called once for each event that is left out because its texts cannot be read. */
  readonly onError?: (error: unknown) => void;
}

interface Waiter {
  readonly resolve: (isComplete: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** All calls of `catchUp` share one loop, so a search does not wait for another search, or for the end of a round. */
export function createSearchIndex(store: Store, options: SearchIndexOptions = {}): SearchIndex {
  const waiting = new Set<Waiter>();
  let isRunning = false;
  const step = createIndexStep(store, {
    isWanted: () => waiting.size > 0,
    onError: options.onError ?? (() => {}),
  });
  /** Runs one step for all callers that wait now. The step reads the events that were committed before their calls. */
  const runStep = async (): Promise<void> => {
    const callers = [...waiting];
    try {
      if (await step()) for (const { resolve } of callers) resolve(true);
    } catch (error) {
      try {
        // A read-only process cannot update the index and searches it as it is.
        if (!isReadOnly(error)) await startAgain(store, error);
        else for (const { resolve } of callers) resolve(false);
      } catch (final) {
        for (const { reject } of callers) reject(final);
      }
    }
  };
  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.size > 0) {
      await runStep();
      await nextRound();
    }
    isRunning = false;
  };
  return {
    catchUp: async (milliseconds) => {
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      const waiter = { resolve, reject };
      waiting.add(waiter);
      if (!isRunning) void run();
      try {
        return await withTimeout(promise, { milliseconds, late: () => false });
      } finally {
        waiting.delete(waiter);
      }
    },
  };
}

/** Empties the index if the error says that it is damaged; throws every other error. */
export async function startAgain(store: Store, error: unknown): Promise<false> {
  if (!(error instanceof StoreError) || error.code !== "storeCorrupt") throw error;
  await store.clearSearch();
  return false;
}

function isReadOnly(error: unknown): boolean {
  return error instanceof StoreError && error.code === "storeReadOnly";
}
