import { StoreError } from "../../../src/store/store-error.ts";

/** Sends again what a store could not answer for; the id makes it the same request. */
export async function retrying<Value>(send: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof StoreError) || !error.retryable || tries >= 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
