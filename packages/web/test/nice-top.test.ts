import assert from "node:assert/strict";
import { test } from "node:test";
import { niceTop } from "../src/model/nice-top.ts";

test("the axis of a chart ends at a round number", () => {
  assert.deepEqual([0, 0.3, 1, 3, 47, 600].map(niceTop), [1, 0.5, 1, 5, 50, 1_000]);
});
