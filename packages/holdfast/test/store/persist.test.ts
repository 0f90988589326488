import assert from "node:assert/strict";
import { test } from "node:test";
import { persist } from "../../src/store/persist.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { createHandClock } from "../support/hand-clock.ts";

test("persist retries at the times of the given clock", async () => {
  const clock = createHandClock();
  let calls = 0;
  const work = async (): Promise<number> => {
    calls += 1;
    if (calls < 3) throw new StoreError("storeUnavailable", "the database went away");
    return calls;
  };
  const result = persist(work, clock);
  await clock.move(149);
  assert.equal(calls, 2);
  await clock.move(1);
  assert.equal(await result, 3);
});
