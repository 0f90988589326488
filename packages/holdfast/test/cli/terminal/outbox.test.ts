import assert from "node:assert/strict";
import { test } from "node:test";
import { createOutbox } from "../../../src/cli/terminal/outbox.ts";

function deferred(): { promise: Promise<void>; resolve: () => void } {
  return Promise.withResolvers<void>();
}

/** Like the client library: an aborted call rejects. */
function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("given up")));
  });
}

test("typed lines are sent in order, even those that were waiting when the user quit", async () => {
  const errors: unknown[] = [];
  const outbox = createOutbox((error) => errors.push(error));
  const sent: string[] = [];
  const first = deferred();
  const refused = new Error("refused");
  outbox.put("one", () => first.promise.then(() => void sent.push("one")));
  outbox.put("two", () => Promise.reject(refused));
  outbox.put("three", async () => void sent.push("three"));
  assert.equal(outbox.isEmpty(), false);
  const closing = outbox.close(60_000);
  first.resolve();
  assert.deepEqual(await closing, { inDoubt: null, kept: [] });
  assert.deepEqual([sent, errors, outbox.isEmpty()], [["one", "three"], [refused], true]);
});

test("unsent lines are returned: one that may have arrived, and those that were not sent", async () => {
  const errors: unknown[] = [];
  const outbox = createOutbox((error) => errors.push(error));
  for (const words of ["one", "two", "three"]) outbox.put(words, never);
  assert.deepEqual(await outbox.close(1), { inDoubt: "one", kept: ["two", "three"] });
  assert.deepEqual(errors, []);
});
