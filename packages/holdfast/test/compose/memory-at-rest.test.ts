import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../src/base/time.ts";
import { giveMemoryBackAtRest, processMemory } from "../../src/compose/memory-at-rest.ts";

test("an idle process whose heap has grown returns memory to the system at eight checks, and then no more", async (t) => {
  const rest = { busy: 0.01, held: 20, isGivenBack: true };
  const times: { busy: number; held: number; isGivenBack: boolean }[] = [
    { busy: 0.9, held: 30, isGivenBack: false },
    { busy: 0.01, held: 30, isGivenBack: true },
    // A collection leaves 20.
    rest,
    // A busy time postpones the remaining collections.
    { busy: 0.03, held: 20, isGivenBack: false },
    ...Array.from({ length: 6 }, () => rest),
    { busy: 0.01, held: 20, isGivenBack: false },
    { busy: 0.01, held: 23, isGivenBack: false },
    { busy: 0.03, held: 100, isGivenBack: false },
    { busy: 0.01, held: 100, isGivenBack: true },
  ];
  let time = { busy: 0, held: 0 };
  let givenBack = 0;
  const due: (() => void)[] = [];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    after: (milliseconds, callback) => {
      assert.equal(milliseconds, 5_000);
      due.push(callback);
      const timer = { cancel: () => {}, unref: () => timer };
      return timer;
    },
  };
  const view = {
    busyShare: () => time.busy,
    held: () => time.held * 1024 * 1024,
    giveBack: () => {
      givenBack += 1;
      time = { ...time, held: 20 };
    },
  };
  const watch = giveMemoryBackAtRest({ view, clock });
  t.after(() => watch[Symbol.asyncDispose]());
  for (const next of times) {
    time = next;
    const before = givenBack;
    assert.equal(due.length, 1, "one timer is set");
    due.pop()?.();
    // The next timer is set in a later microtask.
    await new Promise(setImmediate);
    assert.equal(givenBack - before, next.isGivenBack ? 1 : 0, JSON.stringify(next));
  }
});

test("a process with a large unused heap returns memory to the system", () => {
  const view = processMemory();
  let garbage: unknown[] = Array.from({ length: 2_000_000 }, (_, place) => ({ place }));
  garbage = [garbage.length];
  const before = process.memoryUsage.rss();
  view.giveBack();
  assert.equal(garbage[0], 2_000_000);
  assert.ok(process.memoryUsage.rss() < before - 32 * 1024 * 1024);
  assert.ok(view.held() < 64 * 1024 * 1024);
});
