import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyConversation } from "../src/model/conversation.ts";
import { takeEvent } from "../src/model/take-event.ts";
import { ticks, timelineBars, usualReach, windowOf, zoom } from "../src/model/timeline.ts";
import type { Bar } from "../src/model/timeline.ts";
import { cancelled, completed, eventMaker } from "./support/events.ts";

test("a prompt's bar shows its waiting, its steps and calls, and what joined it", () => {
  const { accepted, started, opened, answered, toolStarted, toolEnded, settled, ended, make } =
    eventMaker();
  const conversation = emptyConversation();
  const events = [
    accepted("a", "first"),
    started("r", "a"),
    opened("r", 1),
    accepted("b", "steered"),
    answered("r", 1, "one", ["k"]),
    toolStarted("r", "k"),
    toolEnded("r", "k", "failed"),
    make("prompt.takenIn", { promptId: "b", runId: "r", content: null }),
    opened("r", 2),
    accepted("c", "never ran"),
    settled("c", cancelled(null)),
    settled("a", completed("r")),
    settled("b", completed("r")),
    ended("r", completed("r")),
  ];
  for (const event of events) takeEvent(conversation, event);
  const own = { sessionId: "s", joined: null, spans: [] };
  assert.deepEqual(timelineBars("s", conversation), [
    {
      ...own,
      promptId: "a",
      text: "first",
      acceptedAt: 1_000,
      enteredAt: 2_000,
      settledAt: 12_000,
      outcome: completed("r"),
      spans: [
        { kind: "model", label: "1", from: 3_000, to: 5_000, status: null },
        { kind: "tool", label: "shell", from: 6_000, to: 7_000, status: "failed" },
        { kind: "model", label: "2", from: 9_000, to: 14_000, status: null },
      ],
    },
    {
      ...own,
      promptId: "b",
      text: "steered",
      acceptedAt: 4_000,
      enteredAt: 8_000,
      settledAt: 13_000,
      outcome: completed("r"),
      joined: "a",
    },
    {
      ...own,
      promptId: "c",
      text: "never ran",
      acceptedAt: 10_000,
      enteredAt: null,
      settledAt: 11_000,
      outcome: cancelled(null),
    },
  ]);
});

function bar(acceptedAt: number, settledAt: number | null): Bar {
  const rest = { sessionId: "s", promptId: "p", text: "", enteredAt: null, outcome: null };
  return { ...rest, acceptedAt, settledAt, joined: null, spans: [] };
}

test("the window holds all bars, also those that go on, or as much as is wished for", () => {
  const hour = 3_600_000;
  const now = 100 * hour;
  assert.deepEqual(windowOf([bar(now - 10_000, null)], now, "all"), {
    from: now - 10_200,
    to: now + 200,
  });
  assert.deepEqual(windowOf([], now, "minute"), { from: now - 61_200, to: now + 1_200 });
  assert.equal(usualReach([bar(now - hour, null)], now), "all");
  assert.equal(usualReach([bar(0, 1), bar(now - 9, null)], now), "hour");
  assert.equal(usualReach([bar(0, 1), bar(now - 9 * hour, now - 8 * hour)], now), "day");
  assert.equal(usualReach([bar(0, 1)], now), "all");
});

test("zooming keeps the moment under the pointer in its place, and ticks are round", () => {
  assert.deepEqual(zoom({ from: 0, to: 10_000 }, 2_500, 2), { from: -2_500, to: 17_500 });
  assert.deepEqual(zoom({ from: 0, to: 300 }, 150, 0.1), { from: 50, to: 250 });
  assert.deepEqual(ticks({ from: 900, to: 5_100 }, 8), [1_000, 2_000, 3_000, 4_000, 5_000]);
});
