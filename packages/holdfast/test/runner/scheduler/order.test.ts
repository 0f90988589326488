import assert from "node:assert/strict";
import { test } from "node:test";
import {
  claimed,
  ended,
  heard,
  hint,
  leased,
  looked,
  open,
  scanned,
  target,
  unclaimed,
} from "./play.ts";

// Small tables of inputs and effects, for rules that an exploration cannot check: which lane comes first.

test("S2 waiting lanes start in the order in which they became ready, whatever reported them", () => {
  const { play } = open();
  play(heard(target("first", 1)), claimed("first"));
  play(heard(target("late", 9)), heard(target("early", 5)));
  play(hint("middle"), looked("middle", target("middle", 7)));
  const started: string[] = [];
  for (let running = "first"; running !== ""; running = started.at(-1) ?? "") {
    const effects = play(ended(running));
    const next = effects.find((effect) => effect.startsWith("claim "))?.slice(6) ?? "";
    if (next === "") break;
    started.push(next);
    play(claimed(next));
  }
  assert.deepEqual(started, ["early", "middle", "late"]);
});

test("S2 a lane that becomes ready while its run is ending keeps its place in the queue", () => {
  const { play } = open();
  play(heard(target("main", 1)), claimed("main"));
  play(heard(target("main", 3)), heard(target("other", 4)), heard(target("third", 2)));
  const effects = play(ended("main"));
  assert.deepEqual(effects, ["look main", "claim third"]);
  play(looked("main", target("main", 3)), claimed("third"));
  assert.deepEqual(play(ended("third")), ["look third", "claim main"]);
});

test("S2 a lane whose directory was loaded comes before lanes that became ready at the same time", () => {
  const { play } = open({ perDirectory: 2 });
  play(heard(target("slow", 1)), heard(target("same", 1)), { type: "loading", sessionId: "slow" });
  play(heard(target("other", 2, { directory: "/b" })), claimed("other"));
  assert.deepEqual(play({ type: "loaded", sessionId: "slow" }), ["giveBack slow"]);
  assert.deepEqual(play(ended("other")), ["look other", "claim slow"]);
});

test("S2 another prompt for a lane while its directory loads does not make the lane wait longer", () => {
  const { play } = open();
  play(heard(target("slow", 1)), { type: "loading", sessionId: "slow" });
  play(heard(target("young", 2)), heard(target("slow", 3)));
  assert.deepEqual(play({ type: "loaded", sessionId: "slow" }), ["claim slow"]);
});

test("S2 a run that wants its slot back comes before waiting lanes", () => {
  const { play } = open();
  play(heard(target("asks", 1)), claimed("asks"));
  assert.deepEqual(play({ type: "lent", sessionId: "asks" }), []);
  play(heard(target("next", 2)), claimed("next"), heard(target("last", 3)));
  assert.deepEqual(play({ type: "returning", sessionId: "asks" }), []);
  assert.deepEqual(play(ended("next")), ["look next", "resume asks"]);
});

test("S2 a second prompt during a scan does not make its lane wait longer", () => {
  const { play } = open();
  play(heard(target("busy", 1)), claimed("busy"), { type: "poll" });
  play(heard(target("first", 2)), heard(target("second", 3)), heard(target("first", 4)));
  assert.deepEqual(play(scanned([]), ended("busy", true)), ["claim first"]);
});

test("S2 a run that waits for a slot in a full directory blocks no other directory", () => {
  const { play } = open({ places: 3, perDirectory: 1 });
  play(heard(target("asks", 1)), claimed("asks"), { type: "lent", sessionId: "asks" });
  play(heard(target("full", 2)), claimed("full"), { type: "returning", sessionId: "asks" });
  assert.deepEqual(play(heard(target("other", 3, { directory: "/b" }))), ["claim other"]);
});

test("S2 a lane that could not be claimed is tried again at the next poll, and not before", () => {
  const { play } = open();
  play(heard(target("main", 1)));
  assert.deepEqual(play(unclaimed("main", "elsewhere")), []);
  const found = scanned([target("main", 1)]);
  assert.deepEqual(play(leased, found), ["scan"]);
  assert.deepEqual(play({ type: "poll" }, found), ["scan", "claim main"]);
});

test("S7 only one second attempt at a time may be without a step", () => {
  const wants = { wants: "takeOver" } as const;
  const { play } = open({ places: 9, perDirectory: 9 });
  play(heard(target("a", 1, wants)), heard(target("b", 2, wants)));
  assert.deepEqual(play(claimed("a", true)), ["begin a"]);
  assert.deepEqual(play({ type: "stepped", sessionId: "a" }), ["claim b"]);
  assert.deepEqual(play(claimed("b"), heard(target("c", 3, wants))), ["begin b", "claim c"]);
});

test("an exclusive operation starts even if all run slots are in use", () => {
  const { play } = open();
  play(heard(target("busy", 1)), claimed("busy"));
  assert.deepEqual(play(heard(target("revert", 2, { wants: "work" }))), ["claim revert"]);
  assert.deepEqual(play(claimed("revert")), ["begin revert"]);
});
