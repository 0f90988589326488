import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRoute, pathOf } from "../src/model/route.ts";
import { placeRows, rowAt, rowsInSight } from "../src/model/row-heights.ts";

test("of ten thousand rows only the visible ones are rendered", () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `row${index}`);
  const places = placeRows(ids, new Map([["row0", 500]]), 100);
  assert.equal(places.edges[10_000], 1_000_400);
  assert.equal(rowAt(places, 0), 0);
  assert.equal(rowAt(places, 499), 0);
  assert.equal(rowAt(places, 500), 1);
  assert.equal(rowAt(places, 99_999_999), 9_999);
  const { first, end } = rowsInSight(places, { top: 500_500, height: 800, spare: 600 });
  assert.deepEqual({ first, end }, { first: 4_995, end: 5_016 });
  assert.deepEqual(
    rowsInSight(placeRows([], new Map(), 100), { top: 0, height: 800, spare: 600 }),
    { first: 0, end: 0 },
  );
});

test("every route converts to an address and back", () => {
  for (const path of [
    "/",
    "/sessions/a%2Fb",
    "/sessions/x/timeline",
    "/sessions/x/changes",
    "/sessions/x/changes/run%2F1",
    "/timeline",
    "/health",
    "/settings/look",
  ]) {
    assert.equal(pathOf(parseRoute(path)), path);
  }
  assert.deepEqual(parseRoute("/nonsense/%zz"), { page: "home" });
});
