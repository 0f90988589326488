import { sleep } from "../base/time.ts";
import type { Clock } from "../base/time.ts";
import { StoreError } from "./store-error.ts";
import type { Store } from "./store.ts";

/** A store, and the clock for retries while the store is unavailable. */
export interface StorePorts {
  readonly store: Store;
  readonly clock: Clock;
}

/** Delays in milliseconds between retries if the store is unavailable. */
const delays = [50, 100, 200, 400, 800, 1600, 3200];

/** Repeats the work while the store reports a temporary error. */
export async function persist<T>(work: () => Promise<T>, clock: Clock): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const delay = delays[tries];
      if (!(error instanceof StoreError) || !error.retryable || delay === undefined) throw error;
      await sleep(delay, { clock });
    }
  }
}
