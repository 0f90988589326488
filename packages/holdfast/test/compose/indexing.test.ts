import assert from "node:assert/strict";
import { test } from "node:test";
import { startIndexing } from "../../src/compose/indexing.ts";
import { createHandClock } from "../support/hand-clock.ts";

test("rounds of indexing are short while many sessions change", async () => {
  const clock = createHandClock();
  const rounds: number[] = [];
  const listeners = new Set<() => void>();
  const change = (count: number): void => {
    for (let index = 0; index < count; index += 1) for (const listener of listeners) listener();
  };
  const indexing = startIndexing({
    runtime: {
      store: {
        watch: (listener) => {
          const hear = (): void => listener({ kind: "missed" });
          listeners.add(hear);
          return () => listeners.delete(hear);
        },
      },
      indexTexts: async (milliseconds) => rounds.push(milliseconds) > 0,
      readActivity: async () => true,
    },
    onError: (error) => assert.fail(String(error)),
    clock,
  });
  for (const changes of [0, 500, 501, 20_000, 3]) {
    change(changes);
    await clock.move(5_000);
  }
  assert.deepEqual(rounds, [10_000, 10_000, 25, 25, 10_000]);
  await indexing.stop();
  assert.deepEqual([rounds.at(-1), listeners.size], [1_000, 0]);
});

test("nothing is read while nothing has changed since a complete round", async () => {
  const clock = createHandClock();
  const results = [false, true, true];
  let rounds = 0;
  const listeners: (() => void)[] = [];
  const indexing = startIndexing({
    runtime: {
      store: {
        watch: (listener) => {
          listeners.push(() => listener({ kind: "missed" }));
          return () => {};
        },
      },
      indexTexts: async () => results[rounds++] ?? true,
      readActivity: async () => true,
    },
    onError: (error) => assert.fail(String(error)),
    clock,
  });
  const after: number[] = [];
  for (const isChanged of [false, false, false, true, false]) {
    if (isChanged) for (const listener of listeners) listener();
    await clock.move(5_000);
    after.push(rounds);
  }
  // The first round was not complete, so the second one continues it.
  assert.deepEqual(after, [1, 2, 2, 3, 3]);
  await indexing.stop();
});
