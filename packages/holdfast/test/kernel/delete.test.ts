import assert from "node:assert/strict";
import { test } from "node:test";
import * as make from "./support/commands.ts";
import { createWorld, done, withoutEnvelope } from "./support/world.ts";
import type { World } from "./support/world.ts";

test("M8 a delete ends holds and exclusive operations, and the log records it", () => {
  const world = createWorld();
  done(world.send(make.queueWork("w1")));
  done(world.send({ type: "work.start", workId: "w1", owner: "node1", stopGrace: 1000 }));
  done(world.send(make.queueWork("w2", { name: "revert" })));
  done(world.send({ type: "hold.place", holdId: "h1", reason: "wait" }));
  const { events, state } = done(world.send({ type: "session.delete" }));
  assert.deepEqual(events.map(withoutEnvelope), [
    { type: "session.deleted" },
    { type: "work.ended", workId: "w2", cause: "deleted", body: null },
    { type: "work.ended", workId: "w1", cause: "deleted", body: null },
    { type: "hold.released", holdId: "h1", cause: "deleted", resumesRun: false },
  ]);
  assert.deepEqual([state.queue, state.active, state.holds], [[], null, []]);
});

/** The run of p1 includes s1. A cancel of only p1 has stopped it, and its child still cleans up. */
function sparing(): World {
  const world = createWorld();
  const child = world.session("child");
  done(world.accept("p1"));
  done(world.start("r1"));
  done(world.accept("s1", { delivery: "steer" }));
  done(world.boundary());
  const create = { contentHash: "created", directory: "/project" };
  done(world.link({ sessionId: "child", promptId: "k1" }, { create }));
  done(child.accept("k1", { parent: { sessionId: "main", runId: "r1", background: false } }));
  done(child.start("r2"));
  done(world.cancel("x1", { upTo: world.row("p1").acceptSeq }));
  done(world.end());
  return world;
}

test("C1 a prompt above the mark returns to the queue as soon as the end of its run is committed", () => {
  const world = sparing();
  assert.equal(world.run().condition.status, "closing");
  assert.deepEqual(
    [world.queue(), world.row("s1").status, world.row("p1").status],
    [["s1"], "queued", "running"],
  );
  assert.equal(world.ready(), null);
  done(world.session("child").end());
  assert.deepEqual([world.row("p1").outcome?.reason, world.ready()], ["sessionCancel", "start"]);
});

test("C1 a second cancel covers a prompt that the first one spared, while the run waits for its child", () => {
  const world = sparing();
  const { receipt } = done(world.cancel("x2"));
  assert.deepEqual(
    receipt?.covered.map(({ promptId, was }) => [promptId, was]),
    [["s1", "queued"]],
  );
  done(world.session("child").end());
  assert.deepEqual([world.queue(), world.row("s1").outcome?.reason], [[], "sessionCancel"]);
});

test("M8 P2 a delete settles a prompt that a cancel had spared, while the run waits for its child", () => {
  const world = sparing();
  done(world.send({ type: "session.delete" }));
  assert.deepEqual(
    ["p1", "s1"].map((promptId) => world.row(promptId).outcome?.reason),
    ["sessionCancel", "deleted"],
  );
  assert.deepEqual([world.queue(), world.state().active], [[], null]);
});

test("M8 C7 a delete does not wait for the children of a run whose end was committed", () => {
  const world = createWorld();
  const child = world.session("child");
  done(world.accept("p1"));
  done(world.start("r1"));
  const create = { contentHash: "created", directory: "/project" };
  done(world.link({ sessionId: "child", promptId: "k1" }, { create }));
  done(child.accept("k1", { parent: { sessionId: "main", runId: "r1", background: false } }));
  done(child.start("r2"));
  done(world.end({ status: "failed", reason: "agentError" }));
  assert.equal(world.run().condition.status, "closing");
  done(world.send({ type: "session.delete" }));
  assert.deepEqual([world.state().active, child.state().active], [null, null]);
  assert.equal(child.row("k1").outcome?.reason, "parentCancel");
  assert.equal(world.row("p1").outcome?.reason, "agentError");
});
