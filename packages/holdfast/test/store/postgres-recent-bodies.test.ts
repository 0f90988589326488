import assert from "node:assert/strict";
import { test } from "node:test";
import { makeBody } from "../../src/store/body.ts";
import { RecentBodies } from "../../src/store/postgres/recent-bodies.ts";
import type { Body } from "../../src/store/store.ts";

function bodies(count: number, bytes: number): Body[] {
  return Array.from({ length: count }, (_, number) => makeBody(`${number} `.padEnd(bytes, "x")));
}

/** Returns the numbers of the bodies that are still cached. */
function known(recent: RecentBodies, all: readonly Body[]): number[] {
  return all.flatMap(({ hash, content }, number) => (recent.get(hash) === content ? [number] : []));
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

test("P5 recently stored bodies are cached up to a number and a size, the oldest are dropped first", () => {
  const recent = new RecentBodies();
  const small = bodies(1_100, 10);
  for (const body of small) recent.add(body);
  assert.deepEqual(known(recent, small), numbers(100, 1_100));
  const large = bodies(40, 64 * 1024);
  for (const body of large) recent.add(body);
  assert.deepEqual([known(recent, small), known(recent, large)], [[], numbers(8, 40)]);
  recent.add(makeBody("x".repeat(64 * 1024 + 1)));
  assert.deepEqual(known(recent, large), numbers(8, 40), "one that is too large takes no room");
});

test("P5 a body that is stored repeatedly, and one that was dropped, use no extra space", () => {
  const recent = new RecentBodies();
  const all = bodies(32, 64 * 1024);
  const [first] = all;
  assert(first !== undefined);
  for (let times = 0; times < 100; times += 1) recent.add(first);
  recent.clear();
  assert.equal(recent.get(first.hash), null);
  for (const body of [...all, ...all]) recent.add(body);
  assert.deepEqual(known(recent, all), numbers(0, 32));
});
