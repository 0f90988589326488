import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandData } from "../../src/kernel/command.ts";
import * as make from "./support/commands.ts";
import { copyStore } from "./support/memory-store.ts";
import { createWorld, done, verdict } from "./support/world.ts";
import type { World } from "./support/world.ts";

const prefixes = ["result:", "interrupt:", "force:", "failure:", "recovery:"];

/** Every command in which the sender chooses an id. */
const naming: [field: string, build: (world: World, id: string) => CommandData][] = [
  ["promptId", (_, id) => make.accept(id)],
  ["cancelId", (_, id) => make.cancel(id)],
  ["holdId", (_, holdId) => ({ type: "hold.place", holdId, reason: "wait" })],
  ["workId", (_, id) => make.queueWork(id)],
  ["askId", (world, id) => make.openAsk(world.handle(), id)],
  [
    "childPromptId",
    (world, promptId) => make.linkChild(world.handle(), { sessionId: "child", promptId }),
  ],
];

function running(): World {
  const world = createWorld();
  done(world.accept("first"));
  done(world.start("run1"));
  done(world.boundary());
  return world;
}

for (const [field, build] of naming) {
  test(`P3: a ${field} with a reserved prefix is refused and writes nothing`, () => {
    for (const prefix of prefixes) {
      const world = running();
      const before = copyStore(world.store);
      const answer = world.send(build(world, `${prefix}run1`));
      assert(answer.status === "refused" && answer.refusal.code === "invalid", prefix);
      assert.equal(answer.refusal.field, field);
      assert.ok(answer.refusal.message.includes(`must not begin with ${prefix}`));
      assert.deepEqual(world.store, before);
      // Only the prefix is reserved: the same words are allowed elsewhere in an id.
      assert.equal(verdict(world.send(build(world, `my-${prefix}run1`))), "done");
    }
  });
}

test("P3: a session id with a reserved prefix is refused", () => {
  const world = createWorld();
  for (const prefix of prefixes) {
    assert.equal(verdict(world.session(`${prefix}main`).create()), "invalid");
  }
});

test("P3: creating a session again is no error, even if its id from an older release is reserved now", () => {
  const world = createWorld();
  const lane = world.store.lanes.get("main");
  assert(lane !== undefined);
  world.store.lanes.set("force:main", {
    ...lane,
    state: { ...lane.state, sessionId: "force:main" },
  });
  assert.equal(verdict(world.session("force:main").create()), "done");
});

test("M5: a client cannot make a later force a no-op by storing its cancel id first", () => {
  const world = running();
  const cancelId = "force:action1:run1";
  assert.equal(verdict(world.cancel(cancelId, { kind: "run", runId: "another" })), "invalid");
  const { receipt } = done(world.cancel(cancelId, { kind: "run", runId: "run1" }, "force"));
  assert.deepEqual(
    receipt?.covered.map(({ promptId }) => promptId),
    ["first"],
  );
  assert.equal(world.run().condition.status, "stopping");
});

test("M5: a forced cancel may have a force id or an ordinary one, but no other reserved id", () => {
  const world = running();
  const scope = { kind: "run", runId: "run1" } as const;
  assert.equal(verdict(world.cancel("recovery:run1", scope, "force")), "invalid");
  assert.equal(verdict(world.cancel("force: spaced", scope, "force")), "invalid");
  assert.equal(verdict(world.cancel("plain", scope, "force")), "done");
});

test("L4: a client's hold cannot take the id of a recovery hold", () => {
  const world = running();
  const place = { type: "hold.place", holdId: "recovery:run1", reason: "mine" } as const;
  assert.equal(verdict(world.send(place)), "invalid");
  world.lose("node1");
  done(world.takeover({ recovery: "hold" }));
  assert.deepEqual(
    world.state().holds.map(({ holdId }) => holdId),
    ["recovery:run1"],
  );
});
