import assert from "node:assert/strict";
import { test } from "node:test";
import type { Effect, Input } from "../../../src/runner/scheduler/input.ts";
import { openScheduler } from "../../../src/runner/scheduler/state.ts";
import type { SchedulerLimits, Target } from "../../../src/runner/scheduler/state.ts";
import { step } from "../../../src/runner/scheduler/step.ts";

// Small tables of inputs and effects, for what an exploration cannot say: who comes first.

function open(limits: Partial<SchedulerLimits> = {}, targets: readonly Target[] = []) {
  const state = openScheduler({ places: 1, perDirectory: 1, window: 10, ...limits });
  const play = (...inputs: readonly Input[]): string[] =>
    inputs.flatMap((input) => step(state, input)).map(show);
  play({ type: "leased", node: "n" }, { type: "scanned", targets, isWhole: true });
  return { state, play };
}

function target(sessionId: string, since: number | null, fields: Partial<Target> = {}): Target {
  return { sessionId, directory: "/a", wants: "start", since, ...fields };
}

function heard(news: Target): Input {
  return { type: "heard", sessionId: news.sessionId, target: news };
}

function accept(sessionId: string): Input {
  return { type: "accept", sessionId, directory: "/a" };
}

function claimed(sessionId: string, isRetry = false): Input {
  return { type: "claimed", sessionId, isRetry };
}

function show(effect: Effect): string {
  if (effect.type === "claim") return `claim ${effect.target.sessionId}`;
  return "sessionId" in effect ? `${effect.type} ${effect.sessionId}` : effect.type;
}

test("S2 waiting lanes start in the order in which they became ready, however they were heard of", () => {
  const { play } = open();
  play(heard(target("first", 1)), claimed("first"));
  play(heard(target("late", 9)), heard(target("unknown", null)), heard(target("early", 5)));
  const started: string[] = [];
  for (let running = "first"; running !== ""; running = started.at(-1) ?? "") {
    const effects = play({ type: "ended", sessionId: running });
    const next = effects.find((effect) => effect.startsWith("claim "))?.slice(6) ?? "";
    if (next === "") break;
    started.push(next);
    play(claimed(next));
  }
  assert.deepEqual(started, ["early", "late", "unknown"]);
});

test("S2 a lane that becomes ready while its run still leaves keeps its place in the line", () => {
  const { play } = open();
  play(heard(target("main", 1)), claimed("main"));
  play(heard(target("main", 3)), heard(target("other", 4)), heard(target("third", 2)));
  const effects = play({ type: "ended", sessionId: "main" });
  assert.deepEqual(effects, ["look main", "claim third"]);
  play({ type: "looked", sessionId: "main", target: target("main", null) }, claimed("third"));
  assert.deepEqual(play({ type: "ended", sessionId: "third" }), ["look third", "claim main"]);
});

test("S2 a lane whose directory was loaded comes before those that became ready with it", () => {
  const { play } = open({ perDirectory: 2 });
  play(heard(target("slow", 1)), heard(target("same", 1)), { type: "loading", sessionId: "slow" });
  play(heard(target("other", 2, { directory: "/b" })), claimed("other"));
  assert.deepEqual(play({ type: "loaded", sessionId: "slow" }), ["giveBack slow"]);
  assert.deepEqual(play({ type: "ended", sessionId: "other" }), ["look other", "claim slow"]);
});

test("S2 a run that wants its place back comes before lanes that wait", () => {
  const { play } = open();
  play(heard(target("asks", 1)), claimed("asks"));
  assert.deepEqual(play({ type: "lent", sessionId: "asks" }), []);
  play(heard(target("next", 2)), claimed("next"), heard(target("last", 3)));
  assert.deepEqual(play({ type: "returning", sessionId: "asks" }), []);
  assert.deepEqual(play({ type: "ended", sessionId: "next" }), ["look next", "resume asks"]);
});

test("S2 a run that waits for a slot in a full directory blocks no other directory", () => {
  const { play } = open({ places: 3, perDirectory: 1 });
  play(heard(target("asks", 1)), claimed("asks"), { type: "lent", sessionId: "asks" });
  play(heard(target("full", 2)), claimed("full"), { type: "returning", sessionId: "asks" });
  assert.deepEqual(play(heard(target("other", 3, { directory: "/b" }))), ["claim other"]);
});

test("S3 a lane heard of beside an incomplete window waits for a scan", () => {
  const { play } = open({ window: 2 });
  play({ type: "poll" });
  play({ type: "scanned", targets: [target("a", 1), target("b", 2)], isWhole: false });
  play(claimed("a"), heard(target("c", 3)));
  play({ type: "ended", sessionId: "a" }, { type: "looked", sessionId: "a", target: null });
  play(claimed("b"));
  assert.deepEqual(play({ type: "ended", sessionId: "b" }), ["look b"]);
  const effects = play({ type: "scanned", targets: [target("c", 3)], isWhole: true });
  assert.deepEqual(effects, ["claim c"]);
});

test("S4 news of a lane that is being claimed leads to another look", () => {
  const { play } = open();
  assert.deepEqual(play(heard(target("main", 1))), ["claim main"]);
  play({ type: "hint", sessionId: "main" });
  const effects = play({ type: "unclaimed", sessionId: "main", why: "moved" });
  assert.deepEqual(effects, ["look main"]);
});

test("S2 a lane that could not be claimed is tried again at the next poll, and not before", () => {
  const { play } = open();
  play(heard(target("main", 1)));
  assert.deepEqual(play({ type: "unclaimed", sessionId: "main", why: "elsewhere" }), []);
  const scanned: Input = { type: "scanned", targets: [target("main", 1)], isWhole: true };
  assert.deepEqual(play({ type: "leased", node: "n" }, scanned), ["scan"]);
  assert.deepEqual(play({ type: "poll" }, scanned), ["scan", "claim main"]);
});

test("S7 one takeover at a time is on its second attempt", () => {
  const wants = { wants: "takeOver" } as const;
  const { play } = open({ places: 9, perDirectory: 9 });
  play(heard(target("a", 1, wants)), heard(target("b", 2, wants)));
  assert.deepEqual(play(claimed("a", true)), ["begin a"]);
  assert.deepEqual(play({ type: "stepped", sessionId: "a" }), ["claim b"]);
  assert.deepEqual(play(claimed("b"), heard(target("c", 3, wants))), ["begin b", "claim c"]);
});

test("an accept starts at once only if every older candidate has a place too", () => {
  const { state, play } = open({ places: 2, perDirectory: 2 });
  play({ type: "hint", sessionId: "older" });
  const starts = (input: Input): boolean =>
    step(state, input).some((effect) => effect.type === "send" && effect.starts);
  assert.equal(starts(accept("one")), true);
  assert.equal(starts(accept("two")), false);
  assert.equal(starts(accept("older")), false);
  play({ type: "looked", sessionId: "older", target: null });
  assert.equal(starts(accept("two")), true);
  assert.equal(starts(accept("three")), false);
});

test("exclusive work needs no place and no window", () => {
  const { play } = open();
  play(heard(target("busy", 1)), claimed("busy"));
  assert.deepEqual(play(heard(target("revert", 2, { wants: "work" }))), ["claim revert"]);
  assert.deepEqual(play(claimed("revert")), ["begin revert"]);
});
