import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, done, verdict } from "./support/world.ts";
import type { World } from "./support/world.ts";

// A hosted agent works within one call of ours and reports steps and calls of its own (H1 to H6).

test("H1 a hosted agent's calls open while the call that contains them is active", () => {
  const world = hosting();
  done(within(world));
  done(world.answer([{ callId: "first", seen: true }]));
  done(within(world));
  done(world.answer([{ callId: "second", seen: true }]));
  done(world.endTool("second"));
  done(world.endTool("first"));
  done(within(world));
  done(world.endTool("turn"));
  done(world.answer([], { completes: { result: "text" } }));
  assert.equal(world.row("prompt").status, "settled");
  assert.deepEqual(
    world.events().flatMap((event) => (event.type === "step.opened" ? [event.within] : [])),
    [undefined, "turn", "turn", "turn"],
  );
});

test("H1 H2 an answer opens its step, starts a call, ends a call and completes the run in one commit", () => {
  const world = createWorld();
  done(world.accept("prompt"));
  done(world.start("run1"));
  done(world.boundary());
  const started = done(world.answer(["turn"], { starts: { callId: "turn", body: null } }));
  assert.deepEqual(types(started), ["step.answered", "tool.started"]);
  const ends = { callId: "turn", status: "completed", body: null } as const;
  const ended = done(world.answer([], { within: "turn", ends, completes: { result: "text" } }));
  assert.deepEqual(types(ended), [
    "step.opened",
    "step.answered",
    "tool.ended",
    "prompt.settled",
    "run.ended",
  ]);
});

test("H1 C5 an answer with a part that is not allowed is not committed at all", () => {
  const world = hosting();
  const ends = { callId: "other", status: "completed", body: null } as const;
  assert.equal(verdict(world.answer([], { within: "turn", ends })), "outOfOrder");
  assert.equal(verdict(world.answer([], { within: "other" })), "outOfOrder");
  done(within(world));
  const [callId, body] = ["seen", null];
  const call = { callId, seen: true } as const;
  assert.equal(
    verdict(world.answer([call], { starts: { callId: "unknown", body } })),
    "outOfOrder",
  );
  done(world.cancel("cancel"));
  assert.equal(verdict(world.answer([call], { starts: { callId, body } })), "stopping");
  done(world.answer([]));
  assert.equal(verdict(world.answer([], { within: "turn" })), "stopping");
});

test("H1 P6 the last answer of a turn is recorded even if it uses the budget up", () => {
  const world = hosting({ tokens: 10, cost: null });
  done(within(world));
  done(world.answer([], { usage: { inputTokens: 20, outputTokens: 0, cost: 0 } }));
  const ends = { callId: "turn", status: "completed", body: null } as const;
  done(world.answer([], { within: "turn", ends, completes: { result: "text" } }));
  assert.equal(world.row("prompt").outcome?.status, "completed");
});

test("H1 only an active call has steps, and an open call id cannot be used again", () => {
  const world = hosting();
  assert.equal(verdict(within(world, "other")), "outOfOrder");
  assert.equal(verdict(world.boundary()), "outOfOrder");
  done(within(world));
  assert.equal(verdict(world.answer([{ callId: "turn", seen: true }])), "invalid");
});

test("H4 after a crash a seen call is in doubt, and a call that waits for its permission is not", () => {
  const world = hosting();
  done(within(world));
  done(world.answer(["asked", "acting", "refused"].map((callId) => ({ callId, seen: true }))));
  done(world.ask("permission", { callId: "asked" }));
  done(world.ask("denied", { callId: "refused" }));
  done(world.answerAsk("denied", "deny"));
  world.lose("node1");
  const { events } = done(world.takeover());
  assert.deepEqual(
    events.map((event) => {
      if (event.type === "tool.ended") return [event.callId, event.status];
      return event.type === "ask.closed" ? [event.askId, event.resolution.kind] : event.type;
    }),
    [
      "run.resumed",
      ["turn", "inDoubt"],
      ["asked", "interrupted"],
      ["permission", "withdrawn"],
      ["acting", "inDoubt"],
      ["refused", "interrupted"],
    ],
  );
  assert.equal(verdict(world.answerAsk("permission")), "askClosed");
  done(world.boundary());
});

test("H4 a hosted agent that ends a call withdraws the request for it", () => {
  const world = hosting();
  done(within(world));
  done(world.answer([{ callId: "asked", seen: true }]));
  done(world.ask("permission", { callId: "asked" }));
  assert.equal(verdict(world.endTool("asked", "completed")), "outOfOrder");
  done(world.endTool("asked", "interrupted"));
  assert.equal(world.askRow("permission").closed?.resolution.kind, "withdrawn");
});

test("H4 only a call that may have acted can end in doubt", () => {
  const world = hosting();
  done(within(world));
  done(world.answer(["asked", "acting"].map((callId) => ({ callId, seen: true }))));
  done(world.ask("permission", { callId: "asked" }));
  assert.equal(verdict(endInDoubt(world, "asked")), "outOfOrder");
  done(endInDoubt(world, "acting"));
  done(endInDoubt(world, "turn"));
});

test("H6 L6 a steer joins a hosted turn only if the agent has received it", () => {
  const world = hosting();
  done(world.accept("steer", { delivery: "steer" }));
  done(world.accept("other", { delivery: "steer" }));
  done(within(world));
  assert.deepEqual(world.queue(), ["steer", "other"]);
  done(within(world, "turn", ["steer", "prompt"]));
  assert.deepEqual(world.queue(), ["other"]);
  done(world.endTool("turn"));
  done(world.answer([], { completes: { result: null } }));
  assert.deepEqual(world.queue(), []);
  assert.equal(world.run().prompts.length, 3);
});

test("H1 P6 a spent budget ends the run at the next step of the hosted agent", () => {
  const world = hosting({ tokens: 10, cost: null });
  done(within(world));
  done(world.answer([], { usage: { inputTokens: 20, outputTokens: 0, cost: 0 } }));
  done(within(world));
  const row = world.row("prompt");
  assert.deepEqual([row.status, row.outcome?.reason], ["settled", "budget"]);
});

function hosting(budget: { tokens: number; cost: null } | null = null): World {
  const world = createWorld();
  done(world.accept("prompt", { budget }));
  done(world.start("run1"));
  done(world.boundary());
  done(world.answer(["turn"]));
  done(world.startTool("turn"));
  return world;
}

function within(world: World, callId = "turn", takes: readonly string[] = []) {
  return world.send({ type: "run.boundary", handle: world.handle(), within: callId, takes });
}

function types({ events }: { events: readonly { type: string }[] }): readonly string[] {
  return events.map(({ type }) => type);
}

function endInDoubt(world: World, callId: string) {
  const handle = world.handle();
  return world.send({ type: "tool.end", handle, callId, status: "inDoubt", body: null });
}
