import assert from "node:assert/strict";
import { test } from "node:test";
import { openPlace } from "../../src/runner/place.ts";

function open(): { place: ReturnType<typeof openPlace>; reports: string[] } {
  const reports: string[] = [];
  return { place: openPlace((change) => reports.push(change)), reports };
}

test("P5 a run lends its slot once for any number of waits, and reclaims it after the last", async () => {
  const { place, reports } = open();
  const { signal } = new AbortController();
  const first = place.lend();
  const second = place.lend();
  await first.reclaim(signal);
  assert.deepEqual(reports, ["lent"]);
  const back = second.reclaim(signal);
  assert.deepEqual(reports, ["lent", "returning"]);
  place.resume();
  await back;
});

test("P5 a run that lends its slot again does not wait for it", async () => {
  const { place, reports } = open();
  const { signal } = new AbortController();
  const back = place.lend().reclaim(signal);
  place.lend();
  await back;
  assert.deepEqual(reports, ["lent", "returning", "lent"]);
});

test("C5 a stopping run neither waits for a slot nor uses one", async () => {
  const { place, reports } = open();
  const controller = new AbortController();
  const back = place.lend().reclaim(controller.signal);
  controller.abort();
  await back;
  await place.lend().reclaim(controller.signal);
  assert.deepEqual(reports, ["lent", "returning", "lent", "lent", "returning", "lent"]);
});
