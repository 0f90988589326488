import { StoreError } from "../../../src/store/store-error.ts";

/** Repeats a request that the store could not answer. The id makes it the same request. */
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
