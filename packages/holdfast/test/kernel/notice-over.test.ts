import assert from "node:assert/strict";
import { test } from "node:test";
import { isOver, needsPerson } from "../../src/kernel/notice.ts";
import type { LaneEvent } from "../../src/kernel/event.ts";
import { createWorld, done } from "./support/world.ts";
import type { World } from "./support/world.ts";

// A notification is removed from all devices as soon as nobody can act on it any more.

test("the notice of a permission request is over when the request is answered", () => {
  const world = asking();
  const opened = last(world, "ask.opened");
  assert.deepEqual([isOver(opened, world.state()), needsPerson(world.state())], [false, true]);
  done(world.ask("second", { callId: null }));
  done(world.answerAsk("permission"));
  assert.deepEqual([isOver(opened, world.state()), needsPerson(world.state())], [true, true]);
  done(world.answerAsk("second"));
  assert.equal(needsPerson(world.state()), false);
});

test("the notice of a permission request is over when the run has ended", () => {
  const world = asking();
  const opened = last(world, "ask.opened");
  done(world.cancel("cancel"));
  world.end();
  assert.deepEqual([isOver(opened, world.state()), needsPerson(world.state())], [true, false]);
});

test("the notice of an interrupted run is over when its hold is released", () => {
  const world = asking();
  done(world.answerAsk("permission"));
  world.lose("node1");
  done(world.takeover({ recovery: "hold" }));
  const placed = last(world, "hold.placed");
  assert.deepEqual([isOver(placed, world.state()), needsPerson(world.state())], [false, true]);
  const target = { kind: "hold", holdId: placed.hold.holdId } as const;
  done(world.send({ type: "hold.release", target }));
  assert.deepEqual([isOver(placed, world.state()), needsPerson(world.state())], [true, false]);
});

test("the notice of a finished run is over only when the session is deleted", () => {
  const world = createWorld();
  done(world.accept("prompt"));
  done(world.start("run"));
  world.end();
  const ended = last(world, "run.ended");
  assert.equal(isOver(ended, world.state()), false);
  done(world.send({ type: "session.delete" }));
  assert.equal(isOver(ended, world.state()), true);
});

/** A run with the call `call`, which waits for the answer to `permission`. */
function asking(): World {
  const world = createWorld();
  done(world.accept("prompt"));
  done(world.start("run"));
  done(world.boundary());
  done(world.answer(["call"]));
  done(world.ask("permission", { callId: "call" }));
  return world;
}

type EventOf<T extends LaneEvent["type"]> = Extract<LaneEvent, { type: T }>;

function last<T extends LaneEvent["type"]>(world: World, type: T): EventOf<T> {
  const found = world.events().findLast((event): event is EventOf<T> => event.type === type);
  assert(found !== undefined, `the log has no ${type}`);
  return found;
}
