import assert from "node:assert/strict";
import { test } from "node:test";
import { describeError } from "../../src/cli/describe-error.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { served, startTiny } from "../server/lifecycle/tiny-server.ts";

test("a server that loses its database names the first error, even if closing fails too", async (t) => {
  const server = await startTiny(t, {
    open: async () => ({ ...served(), drain: fails("lost"), close: fails("still lost") }),
  });
  await server.ready;
  const error: unknown = await server.stop().then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.deepEqual(describeError(error), {
    line: "holdfast: storeUnavailable: lost",
    exitCode: 1,
  });
});

function fails(message: string): () => Promise<never> {
  return () => Promise.reject(new StoreError("storeUnavailable", message));
}
