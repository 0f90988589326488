import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bodiesNamedBy,
  contentOf,
  eventTable,
  isKnownType,
  isOf,
  onceNumberOf,
  subjectOf,
} from "../../src/kernel/event-table.ts";
import type { LaneEvent } from "../../src/kernel/event.ts";
import { noUsage } from "../../src/kernel/state.ts";
import { createWorld } from "./support/world.ts";

test("the numbers of one-time event types match existing databases", () => {
  const numbers = Object.entries(eventTable).flatMap(([type, row]) =>
    "once" in row ? [[type, row.once.number]] : [],
  );
  assert.deepEqual(Object.fromEntries(numbers), {
    "prompt.accepted": 1,
    "prompt.tombstoned": 2,
    "prompt.settled": 3,
    "run.started": 4,
    "run.ended": 5,
    "work.queued": 6,
    "work.started": 7,
    "work.ended": 8,
  });
});

test("bodies of an event of a newer release are found by key, and the event has no subject or content", () => {
  const text = JSON.stringify({
    type: "moon.landed",
    body: "a",
    crew: [{ result: "b", name: "c" }],
    origin: { transcript: "d", body: null },
  });
  const event: LaneEvent = JSON.parse(text);
  assert.equal(isKnownType(event.type), false);
  assert.deepEqual(bodiesNamedBy(event), [
    { hash: "a", kind: "unknown" },
    { hash: "b", kind: "unknown" },
    { hash: "d", kind: "transcript" },
  ]);
  assert.deepEqual([subjectOf(event), onceNumberOf(event), contentOf(event)], [null, null, null]);
});

test("an event's content, subject and other bodies are those of its table row", () => {
  const outcome = { status: "completed", reason: null, runId: "r", result: "d" } as const;
  const resultOf = { sessionId: "c", promptId: "q", outcome, usage: noUsage };
  const world = createWorld();
  world.accept("p", { body: "b", resultOf });
  const event = world.events().find(({ type }) => type === "prompt.accepted");
  assert(event?.type === "prompt.accepted");
  assert.deepEqual(contentOf(event), { hash: "b", kind: "prompt" });
  assert.deepEqual(bodiesNamedBy(event), [
    { hash: "b", kind: "prompt" },
    { hash: "d", kind: "outcome" },
  ]);
  assert.deepEqual([subjectOf(event), onceNumberOf(event)], ["p", 1]);
  assert.deepEqual(contentOf({ ...event, body: null }), null);
  assert.deepEqual(bodiesNamedBy({ ...event, body: null, resultOf: null }), []);
  assert.equal(isOf(event, ["run.started", "prompt.accepted"]), true);
  assert.equal(isOf(event, ["run.started", "run.ended"]), false);
  assert.equal(isOf(event, ["prompt.accepted"]), true);
});

test("an answered ask has its answer as content, and a withdrawn one has none", () => {
  const world = createWorld();
  world.accept("p");
  world.start();
  world.ask("k");
  world.cancel("stop");
  const event = world.events().find(({ type }) => type === "ask.closed");
  assert(event?.type === "ask.closed");
  const answered = { kind: "answered", verdict: "allow", body: "b" } as const;
  const hashes = bodiesNamedBy({ ...event, resolution: answered });
  assert.deepEqual(hashes, [{ hash: "b", kind: "askAnswer" }]);
  assert.deepEqual(bodiesNamedBy(event), []);
});
