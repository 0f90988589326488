import assert from "node:assert/strict";
import { test } from "node:test";
import { usageOf } from "../../../../src/agent/model/model-facts.ts";

const price = { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 };

test("cached input and writes to the cache have their own prices", () => {
  const tokens = { input: 1_000_000, cachedInput: 400_000, cacheWrite: 200_000, output: 100_000 };
  assert.deepEqual(usageOf(price, tokens), {
    inputTokens: 1_000_000,
    outputTokens: 100_000,
    cost: 3.57,
  });
});

test("a request with much input is charged by the higher price as a whole", () => {
  const tiers = [
    { above: 100, input: 30, cachedInput: 3, cacheWrite: 37.5, output: 150 },
    { above: 1_000, input: 300, cachedInput: 30, cacheWrite: 375, output: 1_500 },
  ];
  const cost = (input: number): number =>
    usageOf({ ...price, tiers }, { input, cachedInput: 0, cacheWrite: 0, output: 10 }).cost * 1e6;
  assert.deepEqual(
    [100, 101, 1_001].map((input) => Math.round(cost(input))),
    [450, 4_530, 315_300],
  );
});

test("an unknown price adds no cost", () => {
  assert.equal(usageOf(null, { input: 10, cachedInput: 0, cacheWrite: 0, output: 10 }).cost, 0);
});
