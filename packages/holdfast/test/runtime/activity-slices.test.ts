import assert from "node:assert/strict";
import { test } from "node:test";
import { slicesOf } from "../../src/runtime/views/activity-slices.ts";
import type { PromptFact } from "../../src/runtime/views/activity-slices.ts";

function prompt(fields: Partial<PromptFact>): PromptFact {
  return {
    queuedAt: 0,
    enteredAt: null,
    settledAt: null,
    status: null,
    ...fields,
  };
}

const reach = { from: 0, to: 10_000, slices: 2 };

test("each slice counts waiting and active prompts, outcomes and usage", () => {
  const facts = {
    prompts: [
      prompt({ queuedAt: 1_000, enteredAt: 2_000, settledAt: 5_000, status: "completed" }),
      prompt({ queuedAt: 3_000, enteredAt: 6_000, settledAt: 8_000, status: "failed" }),
    ],
    runs: [
      { from: 2_000, to: 6_000 },
      { from: 6_000, to: 9_000 },
    ],
    answers: [{ at: 4_000, usage: { inputTokens: 1, outputTokens: 2, cost: 0.5 } }],
  };
  const none = { completed: 0, failed: 0, cancelled: 0 };
  assert.deepEqual(slicesOf(facts, reach), [
    {
      from: 0,
      waiting: 1,
      running: 1,
      settled: none,
      inQueue: { median: 1_000, high: 1_000 },
      inputTokens: 1,
      outputTokens: 2,
      cost: 0.5,
    },
    {
      from: 5_000,
      waiting: 1,
      running: 1,
      settled: { ...none, completed: 1, failed: 1 },
      inQueue: { median: 3_000, high: 3_000 },
      inputTokens: 0,
      outputTokens: 0,
      cost: 0,
    },
  ]);
});

function running(runs: readonly (readonly [from: number, to: number])[]): number[] {
  const spans = runs.map(([from, to]) => ({ from, to }));
  return slicesOf({ prompts: [], answers: [], runs: spans }, reach).map((slice) => slice.running);
}

test("spans that overlap are counted together, and spans that only touch are not", () => {
  assert.deepEqual(
    running([
      [1_000, 4_000],
      [3_000, 7_000],
      [4_000, Infinity],
    ]),
    [2, 2],
  );
  assert.deepEqual(
    running([
      [-5_000, 5_000],
      [5_000, 6_000],
    ]),
    [1, 1],
  );
  assert.deepEqual(
    running([
      [-5_000, 20_000],
      [-1, 1],
    ]),
    [2, 1],
  );
  assert.deepEqual(running([[20_000, 30_000]]), [0, 0]);
});
