import assert from "node:assert/strict";
import { test } from "node:test";
import { groupBars } from "../src/group-bars.ts";
import { packLanes } from "../src/pack-lanes.ts";

const bar = (left: number, right: number, isAlone = false) => ({ left, right, isAlone });

test("a thousand narrow bars become few groups, and no bar is lost", () => {
  const bars = Array.from({ length: 1_000 }, (_, index) => bar(index / 1_000, (index + 1) / 1_000));
  const groups = groupBars(bars);
  assert.ok(groups.length < 50, `${groups.length} groups`);
  assert.deepEqual(groups.flat(), bars);
});

test("few bars, wide bars, distant bars and the selected bar stay alone", () => {
  const few = Array.from({ length: 10 }, (_, index) => bar(index / 1_000, (index + 1) / 1_000));
  assert.equal(groupBars(few).length, 10);
  const distant = Array.from({ length: 80 }, (_, index) => bar(index / 80, index / 80 + 0.001));
  assert.equal(groupBars(distant).length, 80);
  const wide = Array.from({ length: 80 }, (_, index) => bar(index / 80, (index + 1) / 80));
  assert.equal(groupBars(wide).length, 80);
  const selected = Array.from({ length: 100 }, (_, index) =>
    bar(index / 1_000, (index + 1) / 1_000, index === 50),
  );
  assert.ok(groupBars(selected).some(([first, ...rest]) => first?.isAlone && rest.length === 0));
});

test("bars that overlap are one group, however few they are", () => {
  assert.deepEqual(
    groupBars([bar(0.5, 0.9), bar(0, 0.4), bar(0.1, 0.3), bar(0.2, 0.45)]).map(
      ({ length }) => length,
    ),
    [3, 1],
  );
});

test("with a limit of lanes, the last lane takes everything that has no other place", () => {
  const spans = [0, 1, 2, 3, 4].map((from) => ({ from, to: 10 }));
  assert.deepEqual(packLanes(spans, { most: 3 }), { places: [0, 1, 2, 2, 2], lanes: 3 });
  const later = { from: 10, to: 12 };
  assert.deepEqual(packLanes([...spans, later], { most: 3 }).places.at(-1), 0);
});
