import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, done } from "../support/world.ts";
import type { World } from "../support/world.ts";

// Races of a prompt with a session that is just becoming idle, or just waking up.

const aroundTheEnd: readonly { moment: string; before: (world: World) => void }[] = [
  { moment: "before the last step", before: () => {} },
  { moment: "while the model answers", before: (world) => void world.boundary() },
  {
    moment: "after the last answer",
    before: (world) => {
      world.boundary();
      world.answer();
    },
  },
  {
    moment: "after the run has ended",
    before: (world) => {
      world.boundary();
      world.answer();
      world.end();
    },
  },
];

for (const { moment, before } of aroundTheEnd) {
  for (const delivery of ["queue", "steer"] as const) {
    test(`L3 a ${delivery} sent ${moment} always gets a run`, () => {
      const world = createWorld();
      world.accept("first");
      world.start("run1");
      before(world);
      world.accept("second", { delivery });
      runUntilIdle(world);
      assert.deepEqual(world.row("second").outcome?.status, "completed");
    });
  }
}

test("L6 a run that would complete while a steer waits continues with the steer", () => {
  const world = createWorld();
  world.accept("first");
  world.start("run1");
  world.boundary();
  world.answer();
  world.accept("steer", { delivery: "steer" });
  const { events } = done(world.end());
  assert.deepEqual(
    events.map((event) => event.type),
    ["prompt.takenIn", "step.opened"],
  );
  world.answer();
  world.end();
  assert.deepEqual(
    [world.row("first").outcome, world.row("steer").outcome],
    [completedBy("run1"), completedBy("run1")],
  );
});

test("L3 a prompt on an idle session makes its lane ready in the commit of the accept", () => {
  const world = createWorld();
  assert.equal(world.ready(), null);
  world.accept("first");
  assert.equal(world.ready(), "start");
});

test("P7 a message without a reply starts no run and is settled at once on an idle session", () => {
  const world = createWorld();
  world.accept("note", { reply: false });
  assert.equal(world.ready(), null);
  assert.deepEqual(world.row("note").outcome, completedBy(null));
});

test("C7 L3 a background child that settles while its parent becomes idle starts a run of the parent", () => {
  const world = createWorld();
  const child = world.session("child");
  world.accept("first");
  world.start("run1");
  world.boundary();
  world.answer(["task"]);
  world.startTool("task");
  world.link(
    { sessionId: "child", promptId: "job" },
    { background: true, create: { contentHash: "child", directory: "/project" } },
  );
  child.accept("job", { parent: { sessionId: "main", runId: "run1", background: true } });
  world.endTool("task");
  world.boundary();
  world.answer();
  child.start("run2");
  child.boundary();
  child.answer();

  world.end();
  assert.equal(world.ready(), null);
  child.end({ result: "found it" });

  assert.equal(world.ready(), "start");
  assert.deepEqual(world.row("result:job").resultOf?.outcome.result, "found it");
  runUntilIdle(world);
  assert.equal(world.row("result:job").outcome?.status, "completed");
  assert.deepEqual(world.state().background, []);
});

test("L4 after a failed run the next queued prompt starts", () => {
  const world = createWorld();
  world.accept("first");
  world.accept("second");
  world.start("run1");
  world.end({ status: "failed", reason: "agentError" });
  assert.equal(world.ready(), "start");
});

test("L4 a failure that the next prompt would repeat holds the lane until a new prompt arrives", () => {
  const world = createWorld();
  world.accept("first");
  world.accept("second");
  world.start("run1");
  world.end({ status: "failed", reason: "badKey" }, { retryAt: null });
  assert.equal(world.ready(), null);
  assert.deepEqual(world.state().holds, [
    { kind: "failure", holdId: "failure:run1", reason: "badKey", retryAt: null },
  ]);
  world.accept("third");
  world.start("run2");
  assert.equal(world.run().startedBy, "second");
});

test("P4 a late waiter finds the outcome in the ledger", () => {
  const world = createWorld();
  world.accept("first");
  runUntilIdle(world);
  world.send({ type: "session.delete" });
  assert.deepEqual(world.row("first").outcome, completedBy("run2"));
});

function completedBy(runId: string | null): object {
  return { status: "completed", reason: null, runId, result: null };
}

/** Does what a runner would do, based only on stored state. */
function runUntilIdle(world: World): void {
  for (let action = 0; action < 20; action += 1) {
    const { active } = world.state();
    if (active === null) {
      if (world.ready() === null) return;
      done(world.start());
    } else if (active.kind === "run" && active.stage === "tools") {
      done(world.end());
    } else {
      done(world.boundary());
      done(world.answer());
    }
  }
  assert.fail("the lane does not become idle");
}
