import assert from "node:assert/strict";
import { test } from "node:test";
import {
  claimed,
  ended,
  heard,
  heardNothing,
  hint,
  looked,
  open,
  scanned,
  start,
  target,
  unclaimed,
  leased,
} from "./play.ts";
import type { Played } from "./play.ts";

// Which lanes the window holds (S3), and when a scan is requested.

const poll = { type: "poll" } as const;
const inB = { directory: "/b" };
const takeOver = { wants: "takeOver" } as const;

/** Gives the scheduler an incomplete window: the scan found as many lanes as it may return. */
function fill({ play }: Played, ...targets: Parameters<typeof scanned>[0]): string[] {
  play(poll);
  return play(scanned(targets, false));
}

test("S3 a lane in a signal waits for a scan if the window is incomplete", () => {
  const played = open({ window: 2 });
  const { play } = played;
  assert.deepEqual(fill(played, target("a", 1), target("b", 2)), ["claim a"]);
  play(claimed("a"), heard(target("c", 3)));
  assert.deepEqual(play(ended("a")), ["look a", "claim b", "scan without /a"]);
  play(looked("a"), claimed("b"));
  assert.deepEqual(play(ended("b")), ["look b"]);
  assert.deepEqual(play(scanned([target("c", 3)])), ["claim c"]);
});

test("S3 an incomplete window is refilled before it is empty, not while it holds enough lanes", () => {
  const played = open();
  const { play } = played;
  const lanes = [target("a", 1), target("b", 2), target("c", 3)];
  assert.deepEqual(fill(played, ...lanes), ["claim a"]);
  play(claimed("a"));
  assert.deepEqual(play(ended("a"), looked("a")), ["look a", "claim b"]);
  play(claimed("b"));
  assert.deepEqual(play(ended("b")), ["look b", "claim c", "scan without /a"]);
});

test("S3 a lane that a read finds ready while the window is incomplete leads to another scan", () => {
  const played = open({ window: 2 });
  const { play } = played;
  assert.deepEqual(play(hint("a"), hint("b")), ["look a", "look b"]);
  assert.deepEqual(fill(played, target("a", 1), target("b", 2)), []);
  assert.deepEqual(play(looked("a", target("a", 1))), ["scan"]);
});

test("S3 an incomplete window whose lanes need nothing any more is refilled", () => {
  const played = open({ window: 2 });
  const { play } = played;
  play(heard(target("busy", 1)), claimed("busy"));
  const found = [target("a", 2, inB), target("b", 3, inB)];
  assert.deepEqual(fill(played, ...found), []);
  assert.deepEqual(play(poll, scanned(found, false)), ["scan without /a"]);
  assert.deepEqual(play(heardNothing("a")), ["look a"]);
  assert.deepEqual(play(heardNothing("b")), ["look b", "scan without /a"]);
});

test("L3 lanes of a directory that appears are found, even if the last scan was not told of it", () => {
  const { play } = open();
  assert.deepEqual(play(poll), ["scan"]);
  assert.deepEqual(play(heard(target("main", 1))), ["claim main"]);
  play(unclaimed("main", "absent"), scanned([]));
  assert.deepEqual(play({ type: "present", directory: "/a" }), ["scan"]);
  assert.deepEqual(play({ type: "present", directory: "/a" }), []);
});

test("S3 free slots lead to a scan if the lanes in the window cannot start", () => {
  const played = open({ places: 2 });
  const lanes = [target("a1", 1), target("a2", 2), target("a3", 3)];
  assert.deepEqual(fill(played, ...lanes), ["claim a1", "scan without /a"]);
});

test("S3 claims during a scan do not request another scan", () => {
  const played = open({ places: 2 });
  const { play } = played;
  assert.deepEqual(fill(played, target("a1", 1), target("a2", 2)), ["claim a1", "scan without /a"]);
  play(claimed("a1"));
  assert.deepEqual(play(ended("a1"), looked("a1")), ["look a1", "claim a2"]);
  assert.deepEqual(play(scanned([])), []);
});

test("S3 a scan is not repeated while it would find the same lanes", () => {
  const played = open();
  const { play } = played;
  play(heard(target("left", 1)), unclaimed("left", "elsewhere"));
  play(leased);
  assert.deepEqual(play(scanned([target("left", 1)], false)), []);
  assert.deepEqual(play(heard(target("other", 2))), []);
});

test("S3 an incomplete window is scanned again if the set of blocked lanes has changed", () => {
  const played = open({ places: 9, perDirectory: 1 });
  const { play } = played;
  play(heard(target("busy", 1)), claimed("busy"));
  play(heard(target("left", 2, inB)), unclaimed("left", "elsewhere"));
  play(leased);
  const found = scanned([target("left", 2, inB)], false);
  assert.deepEqual(play(found), ["scan without /a"]);
  assert.deepEqual(play(found), []);
  assert.deepEqual(play(ended("busy")), ["look busy", "scan"]);
  assert.deepEqual(play(found), []);
  play(looked("busy"));
  assert.deepEqual(play({ type: "accept", sessionId: "new", directory: "/a" }), ["send new"]);
});

test("S3 a scan for a complete window leaves out absent directories, but not full ones", () => {
  const { play } = open({ places: 9, perDirectory: 1 });
  play(heard(target("busy", 1)), claimed("busy"));
  play(heard(target("gone", 2, { directory: "/c" })));
  assert.deepEqual(play(unclaimed("gone", "absent")), ["scan without /a, absent /c"]);
  assert.deepEqual(play(scanned([]), poll), ["scan without absent /c"]);
});

test("S3 a scan leaves out full directories, not those with a free slot", () => {
  const played = open({ places: 9, perDirectory: 2 });
  const { play } = played;
  play(heard(target("b1", 1, inB)), claimed("b1"));
  const lanes = [target("a1", 2), target("a2", 3), target("a3", 4)];
  assert.deepEqual(fill(played, ...lanes), ["claim a1", "claim a2", "scan without /a"]);
});

test("S3 when lanes that a scan left out may start, a new scan looks for them", () => {
  const played = open({ places: 2 });
  const { play } = played;
  assert.deepEqual(fill(played, target("a1", 1), target("a2", 2)), ["claim a1", "scan without /a"]);
  assert.deepEqual(play(claimed("a1"), scanned([])), ["begin a1"]);
  assert.deepEqual(play(heard(target("a3", 3))), []);
  assert.deepEqual(play(ended("a1"), looked("a1")), ["look a1", "scan"]);
  assert.deepEqual(play(scanned([target("a2", 2), target("a3", 3)])), ["claim a2"]);
});

test("S3 S7 a scan leaves out takeovers while a second attempt runs; after that attempt's first step a new scan finds them", () => {
  const played = open({ places: 3, perDirectory: 9 });
  const { play } = played;
  const second = target("b", 2, takeOver);
  const filled = fill(played, target("a", 1, takeOver), second);
  assert.deepEqual(filled, ["claim a", "scan without takeovers"]);
  assert.deepEqual(play(claimed("a", true), scanned([])), ["begin a"]);
  assert.deepEqual(play(heard(target("c", 3, takeOver))), []);
  assert.deepEqual(play(heard(target("d", 4))), ["claim d"]);
  assert.deepEqual(play({ type: "stepped", sessionId: "a" }), ["scan"]);
  assert.deepEqual(play(scanned([second])), ["claim b"]);
});

test("S3 when an absent directory is present again, a new scan finds its lanes", () => {
  const { play } = open();
  play(heard(target("work", 1, { wants: "work" })));
  assert.deepEqual(play(unclaimed("work", "absent")), ["scan without absent /a"]);
  assert.deepEqual(play(scanned([]), heard(target("main", 2))), []);
  assert.deepEqual(play({ type: "present", directory: "/a" }), ["scan"]);
  const found = scanned([target("work", 1, { wants: "work" }), target("main", 2)]);
  assert.deepEqual(play(found), ["claim work", "claim main"]);
});

test("S3 a lane that became ready during a scan keeps its position, even if the scan read too early to find it", () => {
  const { play } = open();
  play(heard(target("busy", 1)), claimed("busy"), poll);
  play(heard(target("early", 2)), heard(target("gone", 3)));
  assert.deepEqual(play(scanned([target("late", 4)])), []);
  assert.deepEqual(play(ended("busy"), looked("busy")), ["look busy", "claim early"]);
});

test("S3 a waiting lane that a later scan does not find is dropped", () => {
  const { play } = open();
  play(heard(target("busy", 1)), claimed("busy"), heard(target("taken", 2)), poll);
  assert.deepEqual(play(scanned([])), []);
  assert.deepEqual(play(ended("busy"), looked("busy")), ["look busy"]);
});

test("S3 lanes that became ready at the same time keep the order of the scan", () => {
  const { play } = open();
  play(heard(target("busy", 1)), claimed("busy"), poll, heard(target("x", 2)));
  assert.deepEqual(play(scanned([target("x", 2), target("y", 2)])), []);
  assert.deepEqual(play(ended("busy"), looked("busy")), ["look busy", "claim x"]);
});

test("S3 a lane that becomes ready during the first scan is claimed if a complete scan does not find it", () => {
  const { play } = start();
  play(leased, heard(target("new", 1)));
  assert.deepEqual(play(scanned([])), ["claim new"]);
  const other = start();
  other.play(leased, heard(target("new", 1)));
  assert.deepEqual(other.play(scanned([target("old", 0)], false)), [
    "claim old",
    "scan without /a",
  ]);
});

test("S3 a lane that needs nothing any more before the first scan ends is read", () => {
  const { play } = start();
  play(leased, heard(target("new", 1)));
  assert.deepEqual(play(heardNothing("new"), scanned([])), ["look new"]);
});

test("S3 lanes that became ready during a scan are forgotten if the scan fails or the lease is lost", () => {
  const { play } = start();
  play(leased, heard(target("new", 1)));
  assert.deepEqual(play({ type: "scanFailed" }, poll, scanned([])), ["scan", "ready"]);
  const other = start();
  other.play(leased, heard(target("new", 1)), { type: "leaseLost" }, leased);
  assert.deepEqual(other.play(scanned([]), scanned([])), ["scan", "ready"]);
});

test("S3 a lane whose directory is loaded during a scan waits even if the scan does not find it", () => {
  const { play } = open();
  play(heard(target("main", 1)), { type: "loading", sessionId: "main" });
  play(heard(target("other", 2, inB)), claimed("other"), poll);
  assert.deepEqual(play({ type: "loaded", sessionId: "main" }), ["giveBack main"]);
  assert.deepEqual(play(scanned([]), ended("other", true)), ["claim main"]);
});

test("S2 a lane that a scan left out does not overtake older lanes of its directory", () => {
  const { play } = open({ places: 2 });
  play(heard(target("busy", 1)), claimed("busy"));
  assert.deepEqual(play(poll, scanned([], false)), ["scan", "scan without /a"]);
  assert.deepEqual(play(heard(target("new", 3)), scanned([]), ended("busy", true)), ["scan"]);
  assert.deepEqual(play(scanned([target("old", 2), target("new", 3)])), ["claim old"]);
});

test("S2 a lane that is read because of a signal is found again by the next scan", () => {
  const { play } = open();
  const main = target("main", 2, inB);
  play(heard(target("busy", 1)), claimed("busy"), poll, scanned([main], false));
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(play(heardNothing("main")), ["look main", "scan without /a"]);
    assert.deepEqual(play(looked("main", main), scanned([main], false)), []);
  }
});

test("L3 a signal or a read about a later time leads to a scan, which finds the time", () => {
  const { play } = open();
  assert.deepEqual(play({ ...heardNothing("main"), isDue: true }, scanned([])), ["scan"]);
  assert.deepEqual(play({ ...looked("main"), isDue: true }), ["scan"]);
});

test("S4 a lane that was claimed during a scan is not read after it", () => {
  const { play } = open();
  assert.deepEqual(play(poll, heard(target("new", 1))), ["scan", "claim new"]);
  assert.deepEqual(play(scanned([])), []);
});

test("S4 exclusive work that a scan finds is claimed once, even if the lane waited for a run before", () => {
  const { play } = open();
  play(heard(target("busy", 1)), claimed("busy"), poll, heard(target("main", 2)));
  assert.deepEqual(play(scanned([target("main", 2, { wants: "work" })])), ["claim main"]);
  assert.deepEqual(play(ended("busy"), looked("busy")), ["look busy"]);
});

test("exclusive work in an absent directory is claimed when a scan finds it again", () => {
  const { play } = open();
  play(heard(target("gone", 1)), unclaimed("gone", "absent"), scanned([]));
  const work = target("gone", 1, { wants: "work" });
  assert.deepEqual(play(heard(work)), []);
  assert.deepEqual(play({ type: "present", directory: "/a" }), ["scan"]);
  assert.deepEqual(play(scanned([work])), ["claim gone"]);
});

test("S3 a failed scan is repeated only at the next poll", () => {
  const { play } = start();
  assert.deepEqual(play(leased, { type: "scanFailed" }), ["scan"]);
  assert.deepEqual(play(heard(target("main", 1))), []);
  assert.deepEqual(play(poll, scanned([target("main", 1)])), ["scan", "claim main"]);
});
