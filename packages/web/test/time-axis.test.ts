import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAxis, ticksOf, toPosition, toTime } from "../src/model/time-axis.ts";

test("idle time is folded, the rest keeps its proportions, and positions convert back to times", () => {
  const hour = 3_600_000;
  const spans = [
    { from: 0, to: 10_000 },
    { from: hour, to: hour + 10_000 },
  ];
  const axis = makeAxis(spans, hour + 10_000);
  assert.deepEqual(
    axis.breaks.map(({ position, folded }) => ({ position, folded })),
    [{ position: 10_000, folded: hour - 10_000 }],
  );
  assert.ok(axis.length < 25_000);
  for (const time of [0, 5_000, 10_000, hour, hour + 9_000]) {
    assert.ok(Math.abs(toTime(axis, toPosition(axis, time)) - time) < 1, `${time}`);
  }
  const { ticks } = ticksOf(axis, { from: 0, to: axis.length }, 8);
  assert.ok(ticks.length > 3);
  assert.deepEqual(
    ticks.filter(({ time }) => time > 10_000 && time < hour),
    [],
  );
});
