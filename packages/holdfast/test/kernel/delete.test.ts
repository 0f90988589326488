import assert from "node:assert/strict";
import { test } from "node:test";
import * as make from "./support/commands.ts";
import { createWorld, done, withoutEnvelope } from "./support/world.ts";

test("M8 a delete ends holds, waiting and active work, and says so in the log", () => {
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
    { type: "hold.released", holdId: "h1", cause: "deleted" },
  ]);
  assert.deepEqual([state.queue, state.active, state.holds], [[], null, []]);
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
