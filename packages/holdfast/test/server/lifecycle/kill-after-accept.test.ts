import assert from "node:assert/strict";
import { test } from "node:test";
import { killAfterAccept } from "./kill-after-accept.ts";

test("P1 after 8 times kill -9 right after the 202, no prompt is missing", async () => {
  const results = await Promise.all([killAfterAccept({ kills: 4 }), killAfterAccept({ kills: 4 })]);
  assert.deepEqual(results, [
    { acknowledged: 4, missing: [] },
    { acknowledged: 4, missing: [] },
  ]);
});
