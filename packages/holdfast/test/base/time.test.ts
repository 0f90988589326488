import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { sleep, systemClock, withDeadline, withTimeout } from "../../src/base/time.ts";
import { createHandClock } from "../support/hand-clock.ts";

const never = new Promise<never>(() => {});
const late = (): null => null;
const fail = (): never => {
  throw new Error("late");
};

test("withTimeout returns the work's result, or calls `late` after the timeout", async () => {
  const clock = createHandClock();
  assert.equal(
    await withTimeout(Promise.resolve("done"), { clock, milliseconds: 10, late }),
    "done",
  );
  const failing = Promise.reject(new Error("failed"));
  await assert.rejects(withTimeout(failing, { clock, milliseconds: 10, late }), /failed/);
  const value = withTimeout(never, { clock, milliseconds: 10, late });
  const thrown = assert.rejects(
    withTimeout(never, { clock, milliseconds: 10, late: fail }),
    /late/,
  );
  await clock.move(10);
  assert.equal(await value, null);
  await thrown;
  assert.equal(clock.pending(), 0);
});

test("withTimeout and sleep reject when their signal aborts, and leave no timer", async () => {
  const clock = createHandClock();
  const leaving = new AbortController();
  const { signal } = leaving;
  const bound = { clock, milliseconds: 10, late, signal };
  const left = assert.rejects(withTimeout(never, bound), { name: "AbortError" });
  const awake = assert.rejects(sleep(10, { clock, signal }), { name: "AbortError" });
  leaving.abort();
  await left;
  await awake;
  await assert.rejects(withTimeout(never, bound), { name: "AbortError" });
  await assert.rejects(sleep(10, { clock, signal }), { name: "AbortError" });
  assert.equal(clock.pending(), 0);
  assert.deepEqual(getEventListeners(signal, "abort"), []);
});

test("sleep resolves after its time", async () => {
  const clock = createHandClock();
  let isAwake = false;
  const sleeping = sleep(10, { clock }).then(() => (isAwake = true));
  await clock.move(9);
  assert.equal(isAwake, false);
  await clock.move(1);
  assert.equal(await sleeping, true);
});

test("withDeadline aborts the work after its time or with a signal, and leaves no timer and no listener", async () => {
  const clock = createHandClock();
  const leaving = new AbortController();
  const { signal } = leaving;
  const work = async (given: AbortSignal): Promise<string> => {
    await sleep(1_000, { clock, signal: given }).catch(() => {});
    return "ended";
  };
  const timed = withDeadline(work, { milliseconds: 10, signals: [signal], clock });
  await clock.move(10);
  assert.equal(await timed, "ended");
  const left = withDeadline(work, { milliseconds: 10, signals: [signal], clock });
  leaving.abort();
  assert.equal(await left, "ended");
  assert.equal(await withDeadline(work, { milliseconds: 10, signals: [signal], clock }), "ended");
  assert.equal(clock.pending(), 0);
  assert.deepEqual(getEventListeners(signal, "abort"), []);
});

test("a timer longer than the limit of Node does not fire at once", async () => {
  let hasFired = false;
  const timer = systemClock.after(2 ** 31, () => (hasFired = true));
  // Node fires timers in the order of their times, so a timer of 1 ms fires before this one.
  await new Promise((resolve) => systemClock.after(2, () => resolve(null)));
  timer.cancel();
  assert.equal(hasFired, false);
});
