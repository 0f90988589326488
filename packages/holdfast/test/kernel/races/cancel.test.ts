import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receipt } from "../../../src/kernel/event.ts";
import type { Answer } from "../../../src/kernel/transaction.ts";
import { createWorld, done, verdict } from "../support/world.ts";
import type { World } from "../support/world.ts";

// Races of a cancel with prompts that are accepted, waiting, running, or only on their way.

test("C1 a cancel between accept and start covers the prompt", () => {
  const world = createWorld();
  world.accept("a");
  const receipt = receiptOf(world.cancel("stop"));
  assert.deepEqual(receipt.covered, [{ promptId: "a", acceptSeq: 2, was: "queued", runId: null }]);
  assert.equal(verdict(world.start("run1")), "idle");
});

test("P2 C2 a prompt cancelled before it ran is settled in the commit of the cancel", () => {
  const world = createWorld();
  world.accept("a");
  assert.deepEqual(types(world.cancel("stop")), ["cancel.committed", "prompt.settled"]);
  const { status, outcome } = world.row("a");
  assert.deepEqual(
    { status, outcome },
    {
      status: "settled",
      outcome: { status: "cancelled", reason: "sessionCancel", runId: null, result: null },
    },
  );
});

test("C1 one cancel covers two waiting prompts, but not a later one, which runs next", () => {
  const world = createWorld();
  world.accept("a");
  world.accept("b");
  const receipt = receiptOf(world.cancel("stop"));
  world.accept("c");
  world.start("run1");
  assert.equal(world.run().startedBy, "c");
  world.boundary();
  world.answer();
  world.end();
  assert.deepEqual(
    receipt.covered.map((prompt) => prompt.promptId),
    ["a", "b"],
  );
  assert.deepEqual(outcomes(world, ["a", "b", "c"]), ["cancelled", "cancelled", "completed"]);
});

test("C3 a cancel of an idle session writes no event and does not affect the next prompt", () => {
  const world = createWorld();
  const before = world.events().length;
  assert.deepEqual(receiptOf(world.cancel("stop")), {
    cancelId: "stop",
    mark: null,
    covered: [],
    work: [],
    children: [],
    background: [],
    tree: false,
  });
  assert.equal(world.events().length, before);
  world.accept("a");
  finish(world);
  assert.deepEqual(outcomes(world, ["a"]), ["completed"]);
});

test("C3 C4 an idle cancel that is repeated after a prompt arrived still covers nothing", () => {
  const world = createWorld();
  const first = receiptOf(world.cancel("stop"));
  world.accept("a");
  assert.deepEqual(receiptOf(world.cancel("stop")), first);
  assert.equal(world.row("a").status, "queued");
});

test("C4 a cancel whose answer was lost covers nothing more when it is repeated", () => {
  const world = createWorld();
  world.accept("a");
  const first = receiptOf(world.cancel("stop"));
  world.accept("b");
  const again = done(world.cancel("stop"));
  assert.deepEqual([again.receipt, again.events], [first, []]);
  assert.equal(world.row("b").status, "queued");
});

test("C1 C5 a prompt sent while a cancelled run is stopping is not affected and runs next", () => {
  const world = createWorld();
  world.accept("a");
  world.start("run1");
  world.boundary();
  world.cancel("stop");
  world.accept("b");
  assert.equal(world.ready(), null);
  world.end();
  assert.equal(world.ready(), "start");
  world.start("run2");
  assert.equal(world.run().startedBy, "b");
});

test("C1 a prompt that waited at the time of the cancel is cancelled, a later one is kept", () => {
  const world = createWorld();
  world.accept("a");
  world.start("run1");
  world.accept("before");
  world.cancel("stop");
  world.accept("after");
  world.end();
  assert.deepEqual(outcomes(world, ["a", "before", "after"]), ["cancelled", "cancelled", "queued"]);
  assert.deepEqual(world.queue(), ["after"]);
});

test("C5 L6 a steer that waited at the time of the cancel does not join the next step", () => {
  const world = createWorld();
  world.accept("a");
  world.start("run1");
  world.boundary();
  world.answer();
  world.accept("steer", { delivery: "steer" });
  world.cancel("stop");
  assert.equal(verdict(world.boundary()), "stopping");
  assert.equal(world.row("steer").status, "settled");
});

test("C5 a run that had just finished when the cancel was committed ends cancelled", () => {
  const world = createWorld();
  world.accept("a");
  world.start("run1");
  world.boundary();
  world.answer();
  world.cancel("stop");
  world.end({ status: "completed", result: "the answer" });
  assert.deepEqual(world.row("a").outcome, {
    status: "cancelled",
    reason: "sessionCancel",
    runId: "run1",
    result: "the answer",
  });
});

test("C5 a run whose end was committed first is not covered", () => {
  const world = createWorld();
  world.accept("a");
  finish(world);
  assert.deepEqual(receiptOf(world.cancel("stop")).covered, []);
  assert.deepEqual(outcomes(world, ["a"]), ["completed"]);
});

test("C5 the writes of an owner that ignores the cancel are refused after the grace time", () => {
  const world = createWorld();
  world.accept("a");
  world.start("run1", { stopGrace: 5000 });
  world.boundary();
  const owner = world.handle();
  world.cancel("stop");
  world.tick(4999);
  assert.equal(world.row("a").status, "running");
  world.tick(1);
  assert.deepEqual(outcomes(world, ["a"]), ["cancelled"]);
  const ended = world.events().at(-1);
  assert.equal(ended?.type === "run.ended" ? ended.attempt : null, owner.attempt + 1);
  world.accept("b");
  world.start("run2");
  assert.equal(verdict(world.boundary(owner)), "fenced");
});

test("C1 a prompt that joined the run above the mark stays unsettled when the run is cancelled", () => {
  const world = createWorld();
  world.accept("a");
  world.start("run1");
  const mark = world.state().seq;
  world.accept("steer", { delivery: "steer" });
  world.boundary();
  world.cancel("stop", { upTo: mark });
  world.end();
  assert.deepEqual(outcomes(world, ["a", "steer"]), ["cancelled", "queued"]);
  world.start("run2");
  assert.equal(world.run().startedBy, "steer");
});

test("L2 an interrupt covers all earlier prompts, keeps its receipt, and runs when the lane is free", () => {
  const world = createWorld();
  world.accept("a");
  world.start("run1");
  world.accept("b");
  world.accept("now", { delivery: "interrupt" });
  world.accept("c");
  assert.deepEqual(
    world.row("now").receipt?.covered.map(({ promptId, was }) => [promptId, was]),
    [
      ["a", "running"],
      ["b", "queued"],
    ],
  );
  world.end();
  world.start("run2");
  assert.equal(world.run().startedBy, "now");
  assert.deepEqual(outcomes(world, ["a", "b", "c"]), ["cancelled", "cancelled", "queued"]);
});

function receiptOf(answer: Answer): Receipt {
  const { receipt } = done(answer);
  assert(receipt !== null);
  return receipt;
}

function types(answer: Answer): string[] {
  return done(answer).events.map((event) => event.type);
}

function outcomes(world: World, promptIds: readonly string[]): string[] {
  return promptIds.map((promptId) => {
    const row = world.row(promptId);
    return row.outcome?.status ?? row.status;
  });
}

function finish(world: World): void {
  world.start();
  world.boundary();
  world.answer();
  done(world.end());
}
