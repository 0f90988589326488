import assert from "node:assert/strict";
import { test } from "node:test";
import {
  accept,
  claimed,
  ended,
  heard,
  hint,
  looked,
  open,
  scanned,
  start,
  target,
  unclaimed,
} from "./play.ts";

// A prompt's run starts in the commit that accepts the prompt only if the lane is the oldest candidate (S2).

test("S2 an accept starts at once only if a slot is left after every lane that is being read", () => {
  const { play } = open({ places: 2, perDirectory: 2 });
  play(hint("older"));
  assert.deepEqual(play(accept("one")), ["send one and start"]);
  assert.deepEqual(play(accept("two")), ["send two"]);
  assert.deepEqual(play(accept("older")), ["send older"]);
  play(looked("older"));
  assert.deepEqual(play(accept("two")), ["send two and start"]);
  assert.deepEqual(play(accept("three")), ["send three"]);
});

test("S2 an accept starts at once beside a claim in the same directory", () => {
  const { play } = open({ places: 2, perDirectory: 2 });
  play(heard(target("claiming", 1)));
  assert.deepEqual(play(accept("one")), ["send one and start"]);
});

test("S2 an accept waits while its directory is loaded, and only then", () => {
  const { play } = open({ places: 9, perDirectory: 9 });
  play(heard(target("slow", 1)), { type: "loading", sessionId: "slow" });
  assert.deepEqual(play(accept("same", "/a")), ["send same"]);
  assert.deepEqual(play(accept("other", "/b")), ["send other and start"]);
});

test("S2 an accept does not overtake lanes that the running scan will find", () => {
  const { play } = open({ places: 2, perDirectory: 1, window: 2 });
  // Two lanes fill the window, so the next scan leaves out the full directory /a.
  play({ type: "poll" }, scanned([target("a1", 1), target("a2", 2)], false));
  play(claimed("a1"), scanned([]));
  assert.deepEqual(play(accept("a9", "/a")), ["send a9"]);
  // The run ends: the scan that starts now finds a2, which is older than this prompt.
  assert.deepEqual(play(ended("a1")), ["look a1", "scan"]);
  play(looked("a1"));
  assert.deepEqual(play(accept("a9", "/a")), ["send a9"]);
  assert.deepEqual(play(accept("b1", "/b")), ["send b1"]);
  assert.deepEqual(play(scanned([target("a2", 2)])), ["claim a2"]);
  assert.deepEqual(play(accept("b1", "/b")), ["send b1 and start"]);
});

test("S2 an accept in an absent directory does not start at once, with or without a scan", () => {
  const { play } = open({ places: 2 });
  assert.deepEqual(play({ type: "poll" }, heard(target("gone", 1))), ["scan", "claim gone"]);
  assert.deepEqual(play(unclaimed("gone", "absent")), []);
  assert.deepEqual(play(accept("one", "/a")), ["send one"]);
  // This scan began before the directory was known to be absent.
  play(scanned([target("gone", 1)]));
  assert.deepEqual(play(accept("one", "/a")), ["send one"]);
  assert.deepEqual(play(accept("two", "/b")), ["send two and start"]);
});

test("S5 S6 an accept does not start before the first scan, without a lease, or in a drain", () => {
  const { play } = start();
  assert.deepEqual(play(accept("one")), ["send one"]);
  play({ type: "leased", node: "n" });
  assert.deepEqual(play(accept("one")), ["send one"]);
  play(scanned([]), { type: "leaseLost" });
  assert.deepEqual(play(accept("one")), ["send one"]);
  play({ type: "leased", node: "n" }, scanned([]), { type: "drain" });
  assert.deepEqual(play(accept("one")), ["send one"]);
});
