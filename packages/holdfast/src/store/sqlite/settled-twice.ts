import { StoreError } from "../store-error.ts";

/** Behind the rules: a prompt has one outcome (P2). */
export function settledTwice(prompt: { sessionId: string; promptId: string }): StoreError {
  const { sessionId, promptId } = prompt;
  return new StoreError(
    "storeViolation",
    `prompt ${promptId} of session ${sessionId} has an outcome already. Nothing was stored; please report it`,
  );
}
