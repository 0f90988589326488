import assert from "node:assert/strict";
import { test } from "node:test";
import {
  claimed,
  ended,
  heard,
  heardNothing,
  hint,
  leased,
  looked,
  open,
  scanned,
  start,
  target,
  unclaimed,
} from "./play.ts";

// News of a lane with a phase (S4), and the phases of the process: recovery, lease (S5) and drain (S6).

const drain = { type: "drain" } as const;
const owned = (...sessionIds: readonly string[]) => ({ type: "owned", sessionIds }) as const;

test("S4 a signal about a lane that is being claimed leads to another read of the lane", () => {
  const { play } = open({ places: 2, perDirectory: 2 });
  assert.deepEqual(play(heard(target("main", 1))), ["claim main"]);
  play(hint("main"));
  assert.deepEqual(play(unclaimed("main", "moved")), ["look main"]);
  assert.deepEqual(play(heard(target("other", 1))), ["claim other"]);
  play(heard(target("other", 2)));
  assert.deepEqual(play(unclaimed("other", "moved")), ["look other"]);
});

test("S4 a signal that the claimed lane needs nothing leads to no further read of the lane", () => {
  const { play } = open();
  play(heard(target("main", 1)), heard(target("main", 2)), heardNothing("main"));
  assert.deepEqual(play(unclaimed("main", "moved")), []);
});

test("S4 any signal about a lane that is being read leads to another read of the lane", () => {
  const { play } = open();
  assert.deepEqual(play(hint("main")), ["look main"]);
  play(heardNothing("main"));
  assert.deepEqual(play(looked("main", target("main", 1))), ["look main"]);
  assert.deepEqual(play(looked("main", target("main", 1))), ["claim main"]);
});

test("S4 a lane whose run has ended is read, unless the end says that it needs nothing", () => {
  const { play } = open();
  play(heard(target("main", 1)), claimed("main"));
  assert.deepEqual(play(ended("main")), ["look main"]);
  play(looked("main"), heard(target("main", 2)), claimed("main"));
  assert.deepEqual(play(ended("main", true)), []);
});

test("S4 a signal or a scan during a run leads to a read when the run has ended", () => {
  const { play } = open();
  play(heard(target("main", 1)), claimed("main"), heard(target("main", 2)));
  assert.deepEqual(play(ended("main", true)), ["look main"]);
  play(looked("main"), heard(target("main", 3)), claimed("main"));
  play({ type: "poll" }, scanned([target("main", 4)]));
  assert.deepEqual(play(ended("main", true)), ["look main"]);
});

test("L3 a scan that finds a lane does not repeat a read of this lane", () => {
  const { play } = open();
  play(heard(target("busy", 1)), claimed("busy"));
  assert.deepEqual(play(hint("main"), { type: "poll" }), ["look main", "scan"]);
  assert.deepEqual(play(scanned([target("main", 2)]), looked("main", target("main", 2))), []);
  assert.deepEqual(play(ended("busy", true)), ["claim main"]);
});

test("L3 a read that disagrees with a complete scan is not repeated", () => {
  const { play } = open();
  play(heard(target("busy", 1)), claimed("busy"), hint("main"), { type: "poll" });
  const found = { ...looked("main", target("main", 2)), isDue: true };
  assert.deepEqual(play(found, scanned([])), ["scan"]);
  assert.deepEqual(play(scanned([]), ended("busy", true)), []);
});

test("R1 a signal does not remove a lane that waits, because it does not know about leases", () => {
  const { play } = open({ places: 2, perDirectory: 2 });
  const takeOver = { wants: "takeOver" } as const;
  play({ type: "poll" }, scanned([target("first", 1, takeOver), target("second", 1, takeOver)]));
  assert.deepEqual(play(heardNothing("second")), ["look second"]);
  play(looked("second", target("second", 1, takeOver)));
  assert.deepEqual(play(claimed("first")), ["begin first", "claim second"]);
  play(claimed("second"), heard(target("third", 2)));
  assert.deepEqual(play(heardNothing("third")), ["look third"]);
});

test("S4 a lane that may need another action when its directory is loaded is read after the attempt to claim it", () => {
  const { play } = open();
  play(heard(target("main", 1)), { type: "loading", sessionId: "main" }, hint("main"));
  assert.deepEqual(play({ type: "loaded", sessionId: "main" }), ["claim main"]);
  assert.deepEqual(play(unclaimed("main", "moved")), ["look main"]);
});

test("S4 a lane that may need another action when its directory is loaded is read if it gets no slot", () => {
  const { play } = open({ perDirectory: 2 });
  play(heard(target("main", 1)), { type: "loading", sessionId: "main" }, hint("main"));
  play(heard(target("other", 2, { directory: "/b" })), claimed("other"));
  assert.deepEqual(play({ type: "loaded", sessionId: "main" }), ["giveBack main", "look main"]);
});

test("S5 a lane whose directory is loaded after the lease was lost is not read", () => {
  const { play } = open();
  play(heard(target("main", 1)), { type: "loading", sessionId: "main" }, hint("main"));
  assert.deepEqual(play({ type: "leaseLost" }, { type: "loaded", sessionId: "main" }), [
    "giveBack main",
  ]);
});

test("S8 a claim whose directory does not load ends as a run without a slot, or as unclaimed", () => {
  const { play } = open();
  play(heard(target("main", 1)), { type: "loading", sessionId: "main" });
  assert.deepEqual(play(claimed("main")), ["begin main"]);
  const other = { directory: "/b" };
  assert.deepEqual(play(heard(target("other", 2, other))), ["claim other"]);
  play({ type: "loading", sessionId: "other" });
  assert.deepEqual(play(unclaimed("other", "moved")), []);
  assert.deepEqual(play(heard(target("third", 3, other))), ["claim third"]);
});

test("the process is ready when all claims of its first scan have an outcome", () => {
  const { play } = start({ places: 3, perDirectory: 3 });
  play(leased);
  const found = scanned([target("a", 1), target("b", 2)]);
  assert.deepEqual(play(found), ["claim a", "claim b"]);
  assert.deepEqual(play(claimed("a")), ["begin a"]);
  assert.deepEqual(play(unclaimed("b", "moved")), ["ready"]);
});

test("S5 a lost lease abandons runs, and later claims of lanes that were being claimed", () => {
  const { play } = open({ places: 2, perDirectory: 2 });
  play(heard(target("active", 1)), claimed("active"), heard(target("claiming", 2)));
  assert.deepEqual(play({ type: "leaseLost" }), ["abandon active"]);
  assert.deepEqual(play(claimed("claiming")), ["begin claiming", "abandon claiming"]);
});

test("S5 a claim that was sent under a lost lease is abandoned even if there is a new lease", () => {
  const { play } = open();
  play(heard(target("main", 1)), { type: "leaseLost" }, { type: "leased", node: "next" });
  assert.deepEqual(play(claimed("main", false, "n")), ["begin main", "abandon main"]);
  assert.deepEqual(play(ended("main")), ["look main"]);
});

test("S5 S6 owned lanes are given up unless they have a phase, and only with a lease and no drain", () => {
  const { play } = open({ places: 2, perDirectory: 2 });
  play(heard(target("active", 1)), claimed("active"));
  assert.deepEqual(play(owned("active", "lost")), ["giveUp lost"]);
  assert.deepEqual(play({ type: "leaseLost" }, owned("other")), ["abandon active"]);
  assert.deepEqual(play(leased, drain), ["scan", "handOver active asking"]);
  assert.deepEqual(play(owned("other")), []);
});

test("S6 a lane that was heard of during a scan is not read in a drain", () => {
  const { play } = open();
  play(heard(target("main", 1)), claimed("main"), { type: "poll" }, heard(target("next", 2)));
  assert.deepEqual(play(drain, ended("main", true)), ["handOver main asking", "drained"]);
  assert.deepEqual(play(heardNothing("next")), []);
});

test("S6 a second drain changes nothing, neither during the first one nor after it", () => {
  const { play } = open();
  play(heard(target("main", 1)), claimed("main"));
  assert.deepEqual(play(drain), ["handOver main asking"]);
  assert.deepEqual(play(drain), []);
  assert.deepEqual(play(ended("main")), ["drained"]);
  assert.deepEqual(play(drain), []);
});

test("S6 the deadline hands over active runs at once, and claims when they become runs", () => {
  const { play } = open({ places: 2, perDirectory: 2 });
  play(heard(target("active", 1)), claimed("active"), heard(target("claiming", 2)));
  play(drain);
  assert.deepEqual(play({ type: "deadline" }), ["handOver active now"]);
  assert.deepEqual(play(claimed("claiming")), ["begin claiming", "handOver claiming now"]);
});
