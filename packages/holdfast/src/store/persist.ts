import { StoreError } from "./store-error.ts";

/** How long a store that went away is asked again before whoever asks gives up. */
const delays = [50, 100, 200, 400, 800, 1600, 3200];

/** Tries again while the store says that it may work later. */
export async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const delay = delays[tries];
      if (!(error instanceof StoreError) || !error.retryable || delay === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}
