import assert from "node:assert/strict";
import { test } from "node:test";
import { isInOpenStep } from "../../src/kernel/decide/run.ts";
import { noUsage } from "../../src/kernel/state.ts";
import { createWorld, done, verdict } from "./support/world.ts";
import type { World } from "./support/world.ts";

// A start may open its first step, and an answer may complete its run: each does what two commands
// do, in one commit.

const last = { completes: { result: "the words" } };

/** The same commands, separate and combined, must lead to the same log and the same state. */
function assertSame(stories: { two: (world: World) => void; one: (world: World) => void }): World {
  const [two, one] = [createWorld(), createWorld()];
  stories.two(two);
  stories.one(one);
  assert.deepEqual(one.events(), two.events());
  assert.deepEqual(one.state(), two.state());
  return one;
}

function withMessage(world: World): void {
  world.accept("p1");
  world.accept("m1", { reply: false });
  world.accept("p2");
}

function inStep(world: World): void {
  world.accept("p1");
  world.start("r1", { opensStep: true });
}

test("L6 a start that opens its step has the same effect as a start followed by a boundary", () => {
  const world = assertSame({
    two: (two) => {
      withMessage(two);
      two.start("r1");
      two.boundary();
    },
    one: (one) => {
      withMessage(one);
      one.start("r1", { opensStep: true });
    },
  });
  assert.equal(world.run().stage, "model");
  assert.deepEqual(world.queue(), ["p2"]);
});

test("L6 P6 a boundary may be skipped only if it would change nothing", () => {
  const stories: [name: string, changes: boolean, story: (world: World) => void][] = [
    ["in an open step", false, inStep],
    [
      "after an answer",
      true,
      (world) => {
        inStep(world);
        world.answer();
      },
    ],
    [
      "with a steer waiting",
      true,
      (world) => {
        inStep(world);
        world.accept("s1", { delivery: "steer" });
      },
    ],
    [
      "with a budget that a child has used up",
      true,
      (world) => {
        world.accept("p1", { budget: { tokens: 1, cost: null } });
        world.start("r1", { opensStep: true });
        world.link({ sessionId: "child", promptId: "k" });
        const child = world.session("child");
        child.create();
        const parent = { sessionId: "main", runId: "r1", background: false };
        child.accept("k", { parent, accounts: ["prompt:main/p1"] });
        child.start("r2", { opensStep: true });
        child.answer([], { usage: { inputTokens: 6, outputTokens: 4, cost: 2 } });
        child.end();
      },
    ],
  ];
  for (const [name, changes, story] of stories) {
    const world = createWorld();
    story(world);
    assert.equal(isInOpenStep(world.state(), world.run()), !changes, name);
    assert.equal(done(world.boundary()).events.length > 0, changes, name);
  }
});

test("P6 a run without budget for a step starts without a step, and ends at its boundary", () => {
  const world = createWorld();
  world.accept("p1", { budget: { tokens: 0, cost: null } });
  world.start("r1", { opensStep: true });
  assert.equal(world.run().step, 0);
  world.boundary();
  assert.deepEqual(world.row("p1").outcome, {
    status: "failed",
    reason: "budget",
    runId: "r1",
    result: null,
  });
});

test("P2 a final answer has the same effect as an answer followed by an end", () => {
  const world = assertSame({
    two: (two) => {
      inStep(two);
      two.answer();
      two.end({ result: "the words" });
    },
    one: (one) => {
      inStep(one);
      one.answer([], last);
    },
  });
  assert.equal(world.state().active, null);
  assert.deepEqual(world.row("p1").outcome, {
    status: "completed",
    reason: null,
    runId: "r1",
    result: "the words",
  });
});

test("L6 if a steer waits, a last answer is not the last: the steer joins and the run continues", () => {
  const world = assertSame({
    two: (two) => {
      inStep(two);
      two.accept("s1", { delivery: "steer" });
      two.answer();
      two.end();
    },
    one: (one) => {
      inStep(one);
      one.accept("s1", { delivery: "steer" });
      one.answer([], { completes: { result: null } });
    },
  });
  assert.deepEqual(
    world.run().prompts.map(({ promptId }) => promptId),
    ["p1", "s1"],
  );
  assert.equal(world.run().step, 2);
});

test("C5 a final answer of a stopping run ends it with the outcome of its stop", () => {
  const world = assertSame({
    two: (two) => {
      inStep(two);
      two.cancel("c1");
      two.answer();
      two.end({ result: "the words" });
    },
    one: (one) => {
      inStep(one);
      one.cancel("c1");
      one.answer([], last);
    },
  });
  assert.equal(world.row("p1").outcome?.status, "cancelled");
});

test("T1 C7 a final answer that leaves a call or child open is stored, and the run continues", () => {
  const world = createWorld();
  inStep(world);
  assert.equal(verdict(world.answer(["call1"], last)), "done");
  assert.equal(world.run().stage, "tools");
  assert.deepEqual(world.types().at(-1), "step.answered");
});

test("L5 a final answer from a process that does not own the run is refused completely", () => {
  const world = createWorld();
  inStep(world);
  const zombie = world.handle();
  world.lose("node1");
  world.takeover({ owner: "node2" });
  const before = world.events();
  const answer = { type: "step.answer", handle: zombie, body: "b", calls: [] } as const;
  const late = { ...answer, ...last, usage: noUsage, interrupted: false };
  assert.equal(verdict(world.send(late)), "fenced");
  assert.deepEqual(world.events(), before);
});
