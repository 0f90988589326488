import assert from "node:assert/strict";
import { test } from "node:test";
import { packState, unpackState } from "../../src/kernel/packed.ts";
import type { LaneState } from "../../src/kernel/state.ts";
import * as make from "./support/commands.ts";
import { createWorld, done } from "./support/world.ts";

test("P5: a stored state omits default values", () => {
  const world = createWorld();
  assert.deepEqual(packState(world.state()), {
    sessionId: "main",
    status: "open",
    contentHash: "created",
    directory: "/project",
    seq: 1,
  });
  done(world.accept("p1"));
  done(world.send(make.queueWork("w1")));
  assert.deepEqual(packState(world.state()), {
    sessionId: "main",
    status: "open",
    contentHash: "created",
    directory: "/project",
    seq: 3,
    queue: [
      { promptId: "p1", acceptSeq: 2 },
      { kind: "work", workId: "w1", acceptSeq: 3, name: "compact" },
    ],
  });
});

test("P4: a stored state with non-default values is read back unchanged", () => {
  const world = createWorld();
  done(world.accept("p1", { maxRunTime: 60_000, budget: { tokens: 5, cost: null } }));
  done(world.send({ type: "session.setAgent", agent: "planner" }));
  done(world.start("run1"));
  done(world.send({ type: "session.setAgent", agent: "builder" }));
  done(world.accept("p2", { delivery: "steer" }));
  done(world.accept("p3", { expiresAt: 9_000_000, reply: false }));
  done(world.send(make.edit("p2")));
  done(world.send({ type: "hold.place", holdId: "h1", reason: "wait" }));
  done(world.send({ type: "session.rename", title: "A title", auto: false }));
  done(world.send({ type: "session.archive", archived: true }));
  assert.deepEqual(stored(world.state()), world.state());
});

test("P6: a stored run that waits for a spent account still waits after it is read", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("run1"));
  const waiting = { ...world.state(), active: { ...world.run(), waitsFor: "account1" } };
  assert.deepEqual(stored(waiting), waiting);
});

test("P4: a complete state from before sessions had titles and agents can be read", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("run1"));
  done(world.accept("p2"));
  const { title: _, archived: __, agent: ___, ...whole } = world.state();
  const { agent: ____, ...active } = world.run();
  const older = JSON.parse(JSON.stringify({ ...whole, active }));
  assert.deepEqual(unpackState(older), world.state());
});

test("P5: a waiting prompt uses less than 100 bytes in its lane's state", () => {
  const world = createWorld();
  const empty = size(world.state());
  for (let count = 0; count < 64; count += 1) {
    done(world.accept(`prompt-0a1b2c3d-0a1b-0a1b-0a1b-${String(count).padStart(12, "0")}`));
  }
  const each = (size(world.state()) - empty) / 64;
  assert(each < 100, `${each} bytes`);
});

function size(state: LaneState): number {
  return JSON.stringify(packState(state)).length;
}

function stored(state: LaneState): LaneState {
  return unpackState(JSON.parse(JSON.stringify(packState(state))));
}
