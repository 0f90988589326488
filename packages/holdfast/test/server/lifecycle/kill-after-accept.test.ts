import assert from "node:assert/strict";
import { test } from "node:test";
import { killAfterAccept } from "./kill-after-accept.ts";

test("P1 no prompt is lost by a server that is killed right after it acknowledged the prompt, in 8 tries", async () => {
  const results = await Promise.all([killAfterAccept({ kills: 4 }), killAfterAccept({ kills: 4 })]);
  assert.deepEqual(results, [
    { acknowledged: 4, missing: [] },
    { acknowledged: 4, missing: [] },
  ]);
});
