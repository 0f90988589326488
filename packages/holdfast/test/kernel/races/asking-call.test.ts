import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, done, verdict } from "../support/world.ts";
import type { World } from "../support/world.ts";

// Races of an active call that asks people with its own end. An ask that outlives its call would block the run.

test("R4 the end of a call withdraws the asks that it opened, and no others", () => {
  const world = calling();
  done(world.ask("own", { callId: null, within: "call" }));
  done(world.ask("other", { callId: null }));
  const { events } = done(world.endTool("call", "failed"));
  assert.deepEqual(
    events.map((event) =>
      event.type === "ask.closed" ? [event.askId, event.resolution] : event.type,
    ),
    ["tool.ended", ["own", { kind: "withdrawn" }]],
  );
  assert.equal(verdict(world.answerAsk("own")), "askClosed");
  done(world.answerAsk("other"));
  done(world.boundary());
});

test("R2 R4 a call in doubt cannot use an answer any more, so its ask is withdrawn", () => {
  const world = calling();
  done(world.ask("own", { callId: null, within: "call" }));
  world.lose("node1");
  const { events } = done(world.takeover());
  assert.deepEqual(
    events.map(({ type }) => type),
    ["run.resumed", "tool.ended", "ask.closed"],
  );
  done(world.boundary());
});

test("R4 a call that can be repeated finds its ask again after a crash", () => {
  const world = createWorld();
  world.accept("prompt");
  world.start("run1");
  world.boundary();
  world.answer([{ callId: "call", repeatable: true }]);
  done(world.ask("own", { callId: null, within: "call" }));
  world.lose("node1");
  done(world.takeover());
  done(world.answerAsk("own"));
  done(world.endTool("call", "completed"));
  done(world.boundary());
});

test("R4 only an open call can ask", () => {
  const world = calling();
  done(world.endTool("call", "completed"));
  assert.equal(verdict(world.ask("late", { callId: null, within: "call" })), "outOfOrder");
});

function calling(): World {
  const world = createWorld();
  world.accept("prompt");
  world.start("run1");
  world.boundary();
  world.answer(["call"]);
  world.startTool("call");
  return world;
}
