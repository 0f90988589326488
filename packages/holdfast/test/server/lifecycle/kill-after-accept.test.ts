import assert from "node:assert/strict";
import { test } from "node:test";
import { killAfterAccept } from "./kill-after-accept.ts";

test("P1 kill -9 right after the 202, 8 times: no prompt is missing after the restart", async () => {
  const results = await Promise.all([
    killAfterAccept({ kills: 10 }),
    killAfterAccept({ kills: 10 }),
  ]);
  assert.deepEqual(results, [
    { acknowledged: 10, missing: [] },
    { acknowledged: 10, missing: [] },
  ]);
});
