import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../src/base/time.ts";
import { giveMemoryBackAtRest, processMemory } from "../../src/compose/memory-at-rest.ts";

test("memory is returned to the system when the process is idle and has much unused memory", async (t) => {
  const times: { busy: number; unused: number; isGivenBack: boolean }[] = [
    { busy: 0.9, unused: 100, isGivenBack: false },
    { busy: 0.01, unused: 100, isGivenBack: true },
    { busy: 0.01, unused: 3, isGivenBack: false },
    { busy: 0.03, unused: 100, isGivenBack: false },
  ];
  let time = { busy: 0, unused: 0 };
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
    unused: () => time.unused * 1024 * 1024,
    giveBack: () => {
      givenBack += 1;
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
  assert.ok(view.unused() < 32 * 1024 * 1024);
});
