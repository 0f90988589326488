import assert from "node:assert/strict";
import { test } from "node:test";
import * as make from "../support/commands.ts";
import { createWorld, done, verdict } from "../support/world.ts";
import type { World } from "../support/world.ts";

// Races of exclusive operations, forced stops and shutdowns with active runs.

test("M8 an exclusive operation waits for the active run, and later prompts wait for it", () => {
  const world = createWorld();
  world.accept("first");
  world.start("run1");
  world.send(make.queueWork("compact"));
  world.accept("second");
  assert.equal(verdict(startWork(world)), "busy");
  finish(world);
  assert.equal(world.ready(), "work");
  assert.equal(verdict(world.start("run2")), "idle");
  done(startWork(world));
  assert.equal(verdict(world.start("run2")), "busy");
  world.send(make.endWork("compact", world.state().fence));
  assert.equal(world.ready(), "start");
});

test("M8 a cancel removes a waiting exclusive operation, and nothing blocks the lane", () => {
  const world = createWorld();
  world.accept("first");
  world.start("run1");
  world.send(make.queueWork("compact"));
  world.cancel("stop");
  world.end();
  assert.deepEqual([world.state().queue, world.state().active], [[], null]);
  world.accept("second");
  assert.equal(world.ready(), "start");
});

test("M8 an active exclusive operation that a cancel stops is ended by its owner or by a timeout", () => {
  const world = createWorld();
  world.send(make.queueWork("compact"));
  startWork(world);
  const fence = world.state().fence;
  assert.deepEqual(done(world.cancel("stop")).receipt?.work, ["compact"]);
  world.accept("second");
  assert.equal(world.ready(), null);
  world.tick(5000);
  assert.equal(world.ready(), "start");
  assert.equal(verdict(world.send(make.endWork("compact", fence))), "fenced");
});

test("M8 a takeover ends the exclusive operation of a dead process", () => {
  const world = createWorld();
  world.send(make.queueWork("compact"));
  startWork(world);
  world.accept("first");
  assert.equal(verdict(world.takeover()), "owned");
  world.lose("node1");
  done(world.takeover());
  assert.equal(world.ready(), "start");
});

test("M5 a force stops the run and settles it once, and the queue is kept", () => {
  const world = createWorld();
  world.accept("first");
  world.accept("second");
  world.start("run1");
  world.boundary();
  const { receipt } = done(world.cancel("force", { kind: "run", runId: "run1" }, "force"));
  assert.deepEqual(
    receipt?.covered.map((prompt) => prompt.promptId),
    ["first"],
  );
  world.end();
  const settled = world.events().filter((event) => event.type === "prompt.settled");
  assert.deepEqual(
    settled.map(({ promptId, outcome }) => [promptId, outcome.reason]),
    [["first", "force"]],
  );
  assert.deepEqual([world.queue(), world.ready()], [["second"], "start"]);
});

test("M9 a drained run is handed over and resumed, and the drain does not count as an attempt", () => {
  const world = createWorld();
  world.accept("first");
  world.start("run1");
  world.boundary();
  const before = world.run().tries;
  const drained = world.handle();
  done(world.handOver());
  assert.equal(world.ready(), "takeOver");
  assert.equal(verdict(world.boundary(drained)), "fenced");
  done(world.takeover());
  assert.deepEqual(world.run().tries, before);
  assert.equal(world.run().owner, "node2");
});

test("M9 C5 a cancelled run ends when it is handed over, even if its owner does not know of the cancel", () => {
  const world = createWorld();
  world.accept("first");
  world.accept("second");
  world.start("run1");
  world.boundary();
  world.answer(["once"]);
  world.startTool("once");
  done(world.cancel("stop", { upTo: world.row("first").acceptSeq }));
  const drained = world.handle();
  done(world.handOver());
  const ended = world.events().filter((event) => event.type === "tool.ended");
  assert.deepEqual(
    ended.map(({ status }) => status),
    ["inDoubt"],
  );
  assert.deepEqual(
    [world.row("first").outcome?.reason, world.state().active, world.ready()],
    ["sessionCancel", null, "start"],
  );
  assert.equal(verdict(world.endTool("once", "completed", drained)), "fenced");
});

test("M9 R1 a handed-over run is resumed, whatever the crash policy is", () => {
  const world = createWorld();
  world.accept("first");
  world.start("run1");
  world.handOver();
  done(world.takeover({ recovery: "settle" }));
  assert.equal(world.row("first").status, "running");
});

test("M8 a delete settles everything in one commit and refuses later commands", () => {
  const world = createWorld();
  world.accept("first");
  world.start("run1");
  world.accept("second");
  const owner = world.handle();
  done(world.send({ type: "session.delete" }));
  assert.deepEqual(
    ["first", "second"].map((promptId) => world.row(promptId).outcome?.reason),
    ["deleted", "deleted"],
  );
  assert.equal(verdict(world.accept("third")), "deleted");
  assert.equal(verdict(world.boundary(owner)), "fenced");
  assert.equal(verdict(world.accept("first")), "done");
});

function startWork(world: World): ReturnType<World["send"]> {
  return world.send({
    type: "work.start",
    workId: "compact",
    owner: "node1",
    stopGrace: 5000,
  });
}

function finish(world: World): void {
  world.boundary();
  world.answer();
  done(world.end());
}
