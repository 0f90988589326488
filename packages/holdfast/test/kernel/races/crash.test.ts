import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, done, verdict } from "../support/world.ts";
import type { World } from "../support/world.ts";

// Races of a crash with a run in the middle of its work, and of a zombie with its successor.

test("L5 a lane with a live owner cannot be taken over", () => {
  const world = running();
  assert.equal(verdict(world.takeover()), "owned");
});

test("L5 once a lane has a new owner, the old owner's writes are refused", () => {
  const world = running();
  world.answer(["call"]);
  const zombie = world.handle();
  world.lose("node1");
  done(world.takeover());
  const before = world.events().length;
  const writes = [
    world.boundary(zombie),
    world.startTool("call", zombie),
    world.endTool("call", "completed", zombie),
    world.handOver(zombie),
    world.send({
      type: "run.end",
      handle: zombie,
      outcome: { status: "completed", reason: null, result: null },
      hold: null,
    }),
  ];
  assert.deepEqual(writes.map(verdict), ["fenced", "fenced", "fenced", "fenced", "fenced"]);
  assert.equal(world.events().length, before);
});

test("R2 a tool call that started and has no result is in doubt and is not run again", () => {
  const world = running();
  world.answer(["started", "waiting", { callId: "safe", repeatable: true }]);
  world.startTool("started");
  world.startTool("safe");
  world.lose("node1");
  const { events } = done(world.takeover());
  assert.deepEqual(
    events.map((event) =>
      event.type === "tool.ended" ? [event.callId, event.status] : event.type,
    ),
    ["run.resumed", ["started", "inDoubt"]],
  );
  assert.equal(verdict(world.startTool("started")), "outOfOrder");
  assert.equal(verdict(world.startTool("waiting")), "done");
  assert.equal(verdict(world.startTool("safe")), "done");
});

test("R3 a run that kills its process ends as crashLoop after 3 attempts", () => {
  const world = createWorld();
  world.accept("poison");
  world.accept("next");
  world.start("run1");
  crash(world);
  crash(world);
  assert.equal(world.run().attempt, 3);
  crash(world);
  assert.deepEqual(world.row("poison").outcome, {
    status: "failed",
    reason: "crashLoop",
    runId: "run1",
    result: null,
  });
  assert.equal(world.ready(), "start");
});

test("R3 a committed step resets the count, and the total limit is 10 attempts", () => {
  const world = createWorld();
  world.accept("unlucky");
  world.start("run1");
  for (let attempt = 1; attempt < 10; attempt += 1) {
    world.boundary();
    world.answer();
    crash(world);
    assert.equal(world.run().attempt, attempt + 1);
  }
  world.boundary();
  world.answer();
  crash(world);
  assert.equal(world.row("unlucky").outcome?.reason, "crashLoop");
});

test("R3 R4 crashes while only people are asked count only in the total, not as attempts without a step", () => {
  const world = running();
  world.answer(["call"]);
  world.ask("ask1", { callId: "call" });
  for (let attempt = 1; attempt < 10; attempt += 1) {
    crash(world);
    assert.deepEqual(world.run().tries, { total: attempt + 1, sinceStep: 0 });
  }
  crash(world);
  assert.equal(world.row("first").outcome?.reason, "crashLoop");
});

test("R3 an open ask does not hide other work that may crash the process", () => {
  // The answer resets the count. Three takeovers are allowed, and the fourth ends the run.
  assert.deepEqual(
    {
      "no ask": takeovers((world) => world.answer(["call"])),
      "a call that may be repeated": takeovers((world) => {
        world.answer(["call", { callId: "safe", repeatable: true }]);
        world.ask("ask1", { callId: "call" });
      }),
      "a child": takeovers((world) => {
        world.answer(["call"]);
        world.ask("ask1", { callId: "call" });
        world.link({ sessionId: "b", promptId: "job" });
      }),
      // The model has not answered yet, and its answer may be the cause of the crash.
      "a question during a model's answer": takeovers((world) => world.ask("a", { callId: null })),
    },
    {
      "no ask": 4,
      "a call that may be repeated": 4,
      "a child": 4,
      "a question during a model's answer": 3,
    },
  );
});

test("R3 a started call counts as work, even if its ask is still open, until it is in doubt", () => {
  const world = running();
  world.answer(["call", "other"]);
  world.startTool("other");
  world.ask("ask1", { callId: "call" });
  crash(world);
  assert.equal(world.run().tries.sinceStep, 1);
  crash(world);
  assert.equal(world.run().tries.sinceStep, 1);
});

test("R3 a run with too many attempts continues while it only waits for people, and ends when they answer", () => {
  const world = running();
  world.answer(["call"]);
  for (let attempt = 1; attempt <= 3; attempt += 1) crash(world);
  assert.equal(world.run().tries.sinceStep, 3);
  world.ask("ask1", { callId: "call" });
  crash(world);
  assert.deepEqual(world.run().tries, { total: 5, sinceStep: 3 });
  world.answerAsk("ask1", "allow");
  crash(world);
  assert.equal(world.row("first").outcome?.reason, "crashLoop");
});

test("R1 settle: an interrupted run fails as interrupted", () => {
  const world = running();
  world.lose("node1");
  done(world.takeover({ recovery: "settle" }));
  assert.equal(world.row("first").outcome?.reason, "interrupted");
});

test("R1 hold: an interrupted run waits for a person, then continues", () => {
  const world = running();
  world.lose("node1");
  done(world.takeover({ recovery: "hold" }));
  assert.deepEqual(
    [world.ready(), world.run().owner, verdict(world.takeover())],
    [null, null, "held"],
  );
  const target = { kind: "hold", holdId: "recovery:run1" } as const;
  done(world.send({ type: "hold.release", target }));
  assert.equal(world.ready(), "takeOver");
  done(world.takeover({ recovery: "hold" }));
  assert.deepEqual([world.run().owner, world.run().attempt], ["node2", 3]);
});

test("R1 a run that was interrupted more than an hour ago is not resumed without a person", () => {
  const world = running();
  world.lose("node1");
  world.clock.now += 3_600_001;
  done(world.takeover());
  assert.deepEqual(world.state().holds, [
    { kind: "recovery", holdId: "recovery:run1", runId: "run1" },
  ]);
});

test("R1 an answer to its open ask releases a run that was suspended after an hour", () => {
  for (const given of ["allow", "deny"] as const) {
    const world = running();
    world.answer(["call"]);
    world.ask("ask1", { callId: "call" });
    world.ask("ask2");
    world.lose("node1");
    world.clock.now += 3_600_001;
    done(world.takeover());
    assert.deepEqual([world.ready(), verdict(world.takeover())], [null, "held"]);
    done(world.answerAsk("ask1", given));
    assert.deepEqual([world.ready(), world.state().holds], ["takeOver", []]);
    done(world.takeover());
    assert.deepEqual([world.run().owner, world.run().attempt], ["node2", 3]);
    assert.equal(world.askRow("ask1").closed?.resolution.kind, "answered");
  }
});

test("R1 an answer does not release holds that people placed", () => {
  const world = running();
  world.ask("ask1");
  done(world.send({ type: "hold.place", holdId: "pause", reason: "lunch" }));
  world.lose("node1");
  done(world.takeover({ recovery: "hold" }));
  done(world.answerAsk("ask1"));
  assert.deepEqual(
    world.state().holds.map(({ holdId }) => holdId),
    ["pause"],
  );
});

test("C5 a takeover settles a stopping run and never resumes it", () => {
  const world = running();
  world.cancel("stop");
  world.lose("node1");
  done(world.takeover());
  assert.deepEqual([world.row("first").outcome?.status, world.state().active], ["cancelled", null]);
});

test("C5 the cancel itself settles a run that waits for a person", () => {
  const world = running();
  world.lose("node1");
  world.takeover({ recovery: "hold" });
  done(world.cancel("stop"));
  assert.deepEqual(
    [world.row("first").outcome?.status, world.state().active, world.state().holds],
    ["cancelled", null, []],
  );
});

test("R4 an open ask survives a takeover under its id, and answers the resumed run", () => {
  const world = running();
  world.answer(["call"]);
  world.ask("ask1", { callId: "call" });
  world.lose("node1");
  world.takeover();
  assert.equal(verdict(world.startTool("call")), "outOfOrder");
  done(world.answerAsk("ask1", "allow"));
  assert.equal(
    done(world.ask("ask1", { callId: "call" })).ask?.closed?.resolution.kind,
    "answered",
  );
  assert.equal(verdict(world.startTool("call")), "done");
});

test("R4 the first commit among answer and cancel wins", () => {
  const world = running();
  world.answer(["call"]);
  world.ask("ask1", { callId: "call" });
  world.cancel("stop");
  assert.equal(verdict(world.answerAsk("ask1", "allow")), "askClosed");
  assert.equal(world.askRow("ask1").closed?.resolution.kind, "withdrawn");
});

function running(): World {
  const world = createWorld();
  world.accept("first");
  world.start("run1");
  world.boundary();
  return world;
}

/** Counts how often the run is taken over until it ends. */
function takeovers(arrange: (world: World) => void): number {
  const world = running();
  arrange(world);
  for (let count = 1; ; count += 1) {
    crash(world);
    if (world.state().active === null) return count;
  }
}

/** The current owner crashes, and the next one takes over the run. */
function crash(world: World): void {
  const { owner } = world.run();
  assert(owner !== null);
  world.lose(owner);
  const next = `${owner}'`.replaceAll("'", "x");
  world.join(next);
  done(world.takeover({ owner: next }));
}
