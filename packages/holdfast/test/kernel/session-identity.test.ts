import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandData } from "../../src/kernel/command.ts";
import { createWorld, done, verdict } from "./support/world.ts";

test("P3 a session created again with the same content is the same session", () => {
  const world = createWorld();
  done(world.accept("p1"));
  const again = done(world.create());
  assert.deepEqual([again.events, again.state], [[], world.state()]);
});

test("P3 a session's id with other content is refused, and nothing changes", () => {
  const world = createWorld();
  const before = world.events();
  assert.equal(verdict(world.create({ contentHash: "other" })), "conflict");
  assert.deepEqual(world.events(), before);
});

test("M8 P4 a deleted session stays deleted when it is created again, and its outcomes can be read", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.send({ type: "session.delete" }));
  assert.equal(done(world.create()).state.status, "deleted");
  const again = done(world.accept("p1"));
  assert.deepEqual(again.prompt?.outcome, {
    status: "cancelled",
    reason: "deleted",
    runId: null,
    result: null,
  });
  assert.equal(verdict(world.accept("p2")), "deleted");
});

test("an unknown command and an unknown session are refused", () => {
  const world = createWorld();
  assert.equal(verdict(world.session("nowhere").accept("p1")), "unknownSession");
  // A program of another version may send fields that these types do not have.
  const unheardOf: CommandData = JSON.parse('{ "type": "lane.explode" }');
  assert.equal(verdict(world.send(unheardOf)), "unknownCommand");
});
