import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bodiesNamedBy,
  contentOf,
  eventTable,
  isKnownType,
  onceNumberOf,
  subjectOf,
} from "../../src/kernel/event-table.ts";
import type { LaneEvent } from "../../src/kernel/event.ts";

test("the numbers of types that happen once are those of existing databases", () => {
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

test("bodies of a newer program's event are found by key, and it has no subject or content", () => {
  const text = JSON.stringify({
    type: "moon.landed",
    body: "a",
    crew: [{ result: "b", name: "c" }],
    origin: { transcript: "d" },
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
