import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { within } from "../../src/workspace/timers.ts";
import { createHandTimers } from "./support/hand-timers.ts";

test("M3 work has its time and no more, and none at all when nobody wants it", async () => {
  const timers = createHandTimers();
  const bound = { timers, milliseconds: 10, late: () => new Error("late") };
  assert.equal(await within(bound, Promise.resolve("done")), "done");
  await assert.rejects(within(bound, Promise.reject(new Error("failed"))), { message: "failed" });
  const late = assert.rejects(within(bound, new Promise(() => {})), { message: "late" });
  await timers.move(10);
  await late;
  const leaving = new AbortController();
  const { signal } = leaving;
  const left = assert.rejects(within({ ...bound, signal }, new Promise(() => {})), aborted);
  leaving.abort();
  await left;
  await assert.rejects(within({ ...bound, signal }, new Promise(() => {})), aborted);
  assert.equal(timers.pending(), 0);
  assert.deepEqual(getEventListeners(signal, "abort"), []);
});

const aborted = { name: "AbortError" };
