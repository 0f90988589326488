import assert from "node:assert/strict";
import { test } from "node:test";
import { createNumberRows } from "../../src/runtime/views/number-rows.ts";

test("rows keep their numbers and order while they are added and dropped", () => {
  const rows = createNumberRows(2);
  const all = (): number[][] => {
    const found: number[][] = [];
    rows.each((values, at) => found.push([...values.subarray(at, at + 2)]));
    return found;
  };
  for (let index = 0; index < 100; index += 1) rows.add(index, index % 30);
  rows.dropBelow(1, 29);
  assert.deepEqual(
    all(),
    [29, 59, 89].map((index) => [index, 29]),
  );
  for (let index = 1; index < 40; index += 1) rows.add(-index, 1);
  assert.equal(all().length, 42);
  assert.deepEqual(all().at(-1), [-39, 1]);
  rows.dropBelow(0, Infinity);
  assert.deepEqual(all(), []);
  rows.add(1, 2);
  assert.deepEqual(all(), [[1, 2]]);
});
