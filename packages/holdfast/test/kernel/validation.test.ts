import assert from "node:assert/strict";
import { test } from "node:test";
import type { AcceptLimits, CommandData } from "../../src/kernel/command.ts";
import type { Usage } from "../../src/kernel/state.ts";
import { bounds } from "../../src/kernel/validate.ts";
import * as make from "./support/commands.ts";
import { copyStore } from "./support/memory-store.ts";
import { createWorld, done, verdict } from "./support/world.ts";
import type { World } from "./support/world.ts";

// P5: a value out of bounds is refused with the name of its field, before anything is written. A value just within
// the bounds is accepted.

/** A lane with run r1 in a step with the open call c1, prompt p1 in the run and p2 waiting. */
function busyWorld(): World {
  const world = createWorld();
  for (const promptId of ["p1", "p2"]) done(world.accept(promptId));
  done(world.start("r1"));
  done(world.boundary());
  done(world.answer(["c1"]));
  return world;
}

type Case = [field: string, build: (world: World) => CommandData];

const longest = "x".repeat(200);
const badUsage = (usage: Partial<Usage>): Usage => ({
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
  ...usage,
});

const refused: Case[] = [
  ["promptId", () => make.accept("")],
  ["promptId", () => make.accept(`${longest}x`)],
  ["promptId", () => make.accept("with space")],
  ["promptId", () => make.accept("result:p9")],
  ["body", () => make.accept("p9", { body: null })],
  ["body", () => make.accept("p9", { bytes: 0 })],
  ["limits.maxQueue", () => accept({ maxQueue: 0 })],
  ["limits.maxQueue", () => accept({ maxQueue: bounds.queue + 1 })],
  ["limits.maxQueue", () => accept({ maxQueue: 1.5 })],
  ["limits.maxBytes", () => accept({ maxBytes: 0 })],
  ["limits.maxBytes", () => accept({ maxBytes: bounds.bytes + 1 })],
  ["bytes", () => make.accept("p9", { bytes: -1 })],
  ["bytes", () => make.accept("p9", { bytes: Number.NaN })],
  ["expectedRunId", () => make.accept("p9", { delivery: "steer", expectedRunId: "" })],
  ["expectedRunId", () => make.accept("p9", { expectedRunId: "r1" })],
  ["expiresAt", () => make.accept("p9", { expiresAt: -1 })],
  ["expiresAt", () => make.accept("p9", { expiresAt: 0.5 })],
  ["maxRunTime", () => make.accept("p9", { maxRunTime: -1 })],
  ["maxRunTime", () => make.accept("p9", { maxRunTime: bounds.duration + 1 })],
  ["budget.tokens", () => make.accept("p9", { budget: { tokens: -1, cost: null } })],
  ["budget.cost", () => make.accept("p9", { budget: { tokens: null, cost: -0.1 } })],
  ["budget.cost", () => make.accept("p9", { budget: { tokens: 1, cost: Infinity } })],
  ["delivery", () => make.accept("p9", { delivery: "steer", parent })],
  ["maxBytes", () => make.edit("p2", { maxBytes: 0 })],
  ["maxBytes", () => make.edit("p2", { maxBytes: bounds.bytes + 1 })],
  ["bytes", () => make.edit("p2", { bytes: -1 })],
  ["body", () => make.edit("p2", { bytes: 0 })],
  ["cancelId", () => make.cancel("")],
  ["cancelId", () => make.cancel("interrupt:p2")],
  ["upTo", () => make.cancel("x1", { upTo: -1 })],
  ["upTo", () => make.cancel("x1", { upTo: 1.5 })],
  ["runId", () => make.startRun("")],
  ["owner", () => make.startRun("r9", { owner: "" })],
  ["maxSteps", () => make.startRun("r9", { maxSteps: 0 })],
  ["maxSteps", () => make.startRun("r9", { maxSteps: bounds.steps + 1 })],
  ["stopGrace", () => make.startRun("r9", { stopGrace: -1 })],
  ["stopGrace", () => make.startRun("r9", { stopGrace: bounds.duration + 1 })],
  ["budget.tokens", () => make.startRun("r9", { budget: { tokens: Number.NaN, cost: null } })],
  ["askId", (world) => make.openAsk(world.handle(), "")],
  ["expiresAt", (world) => make.openAsk(world.handle(), "a1", { expiresAt: -1 })],
  ["childSessionId", (world) => make.linkChild(world.handle(), { sessionId: "", promptId: "k" })],
  ["childPromptId", (world) => make.linkChild(world.handle(), { sessionId: "c", promptId: "" })],
  ["directory", (world) => make.linkChild(world.handle(), child, { create: created("") })],
  ["directory", (world) => make.linkChild(world.handle(), child, { create: created(tooLong) })],
  ["usage.cost", () => childSettle(badUsage({ cost: -1 }))],
  ["holdId", () => ({ type: "hold.place", holdId: "", reason: "wait" })],
  ["reason", () => ({ type: "hold.place", holdId: "h1", reason: "" })],
  ["workId", () => make.queueWork("")],
  ["name", () => make.queueWork("w1", { name: "" })],
  ["owner", () => ({ type: "work.start", workId: "w1", owner: "", stopGrace: 1 })],
  ["stopGrace", () => ({ type: "work.start", workId: "w1", owner: "node1", stopGrace: -1 })],
  ["owner", () => make.takeover({ owner: "" })],
];

const parent = { sessionId: "main", runId: "r1", background: false };
const child = { sessionId: "child", promptId: "k" };
const tooLong = `/${"x".repeat(4096)}`;

function created(directory: string): { contentHash: string; directory: string } {
  return { contentHash: "created", directory };
}

function accept(limits: Partial<AcceptLimits>): CommandData {
  return make.accept("p9", { limits: { ...make.plentyOfRoom, ...limits } });
}

function childSettle(usage: Usage): CommandData {
  const outcome = { status: "failed", reason: "refused", runId: null, result: null } as const;
  const { sessionId: childSessionId, promptId: childPromptId } = child;
  return { type: "child.settle", childSessionId, childPromptId, outcome, usage };
}

for (const [field, build] of refused) {
  test(`P5: ${build(busyWorld()).type} is refused for a bad ${field}`, () => {
    const world = busyWorld();
    const before = copyStore(world.store);
    const answer = world.send(build(world));
    assert(answer.status === "refused");
    const { message, ...refusal } = answer.refusal;
    assert.deepEqual(refusal, { code: "invalid", field });
    assert.match(message, /must|needs?|cannot/);
    assert.deepEqual(world.store, before);
  });
}

test("P5 a step's answer is refused for its usage, for its calls' ids and for too many calls", () => {
  const many = Array.from({ length: bounds.calls + 1 }, (_, index) => `c${index}`);
  const attempts: [calls: string[], usage: Partial<Usage>, field: string][] = [
    [[], { inputTokens: -1 }, "usage.inputTokens"],
    [[], { outputTokens: Number.NaN }, "usage.outputTokens"],
    [[], { cost: -1 }, "usage.cost"],
    [["c1", ""], {}, "callId"],
    [["c1", "c2", "c1"], {}, "calls"],
    [many, {}, "calls"],
  ];
  for (const [calls, usage, field] of attempts) {
    const world = createWorld();
    done(world.accept("p1"));
    done(world.start());
    done(world.boundary());
    const answer = world.answer(calls, { usage: badUsage(usage) });
    assert(answer.status === "refused" && answer.refusal.code === "invalid");
    assert.equal(answer.refusal.field, field);
    done(world.answer(many.slice(1)));
  }
});

test("P5 a session is refused for its id, its directory and its budget", () => {
  const world = createWorld();
  assert.equal(verdict(world.session("a b").create()), "invalid");
  assert.equal(verdict(world.session("new").create({ directory: "" })), "invalid");
  assert.equal(
    verdict(world.session("new").create({ budget: { tokens: -1, cost: null } })),
    "invalid",
  );
  assert.equal(verdict(world.session("new").create({ budget: { tokens: 0, cost: 0 } })), "done");
});

test("P5 values exactly at their bounds are accepted", () => {
  const world = busyWorld();
  const limits = { maxQueue: bounds.queue, maxBytes: bounds.bytes, draining: false };
  const budget = { tokens: 0, cost: null };
  const most = {
    bytes: bounds.bytes,
    expiresAt: 2000,
    maxRunTime: bounds.duration,
    budget,
    limits,
  };
  done(world.accept(longest, most));
  done(world.accept("smallest", { bytes: 1, maxRunTime: 0, limits: { ...limits, maxQueue: 3 } }));
  done(world.send(make.edit("p2", { bytes: 1, maxBytes: 1 })));
  done(world.cancel("Az09._:@+=~-", { upTo: 0 }));
  done(world.send({ type: "hold.place", holdId: "h1", reason: "x".repeat(4096) }));
  done(world.startTool("c1"));
  done(world.endTool("c1"));
  done(world.end());
  done(world.send({ type: "hold.release", target: { kind: "hold", holdId: "h1" } }));
  done(world.start("r2", { maxSteps: bounds.steps, stopGrace: 0 }));
});

test("P5 a limit itself is allowed, and a larger value is refused with the limit", () => {
  const world = createWorld();
  const limits = { maxQueue: 1, maxBytes: 10, draining: false };
  const tooLarge = world.accept("p1", { bytes: 11, limits });
  assert(tooLarge.status === "refused");
  assert.deepEqual(
    { ...tooLarge.refusal, message: "" },
    { code: "tooLarge", limit: 10, message: "" },
  );
  done(world.accept("p1", { bytes: 10, limits }));
  const full = world.accept("p2", { limits });
  assert(full.status === "refused");
  assert.deepEqual({ ...full.refusal, message: "" }, { code: "queueFull", limit: 1, message: "" });
  const edited = world.send(make.edit("p1", { bytes: 11, maxBytes: 10 }));
  assert(edited.status === "refused");
  assert.deepEqual(
    { ...edited.refusal, message: "" },
    { code: "tooLarge", limit: 10, message: "" },
  );
});
