import assert from "node:assert/strict";
import { test } from "node:test";
import { killAfterAccept } from "./kill-after-accept.ts";

test("P1 no prompt is lost by a server that is killed right after it acknowledged the prompt, in 4 tries", async () => {
  const results = await Promise.all([killAfterAccept({ kills: 2 }), killAfterAccept({ kills: 2 })]);
  assert.deepEqual(results, [
    { acknowledged: 2, missing: [] },
    { acknowledged: 2, missing: [] },
  ]);
});
