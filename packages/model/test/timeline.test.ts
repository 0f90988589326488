import assert from "node:assert/strict";
import { test } from "node:test";
import { belowParents } from "../src/below-parents.ts";
import { breakdown } from "../src/breakdown.ts";
import { emptyConversation } from "../src/conversation.ts";
import { packLanes } from "../src/pack-lanes.ts";
import { reachesBack } from "../src/reaches-back.ts";
import { takeEvent } from "../src/take-event.ts";
import { buildTimeline } from "../src/timeline.ts";
import type { WireEvent } from "@holdfast/sdk";
import { cancelled, completed, eventMaker } from "./support/events.ts";

function timelineOf(events: readonly WireEvent[]) {
  const conversation = emptyConversation();
  for (const event of events) takeEvent(conversation, event);
  return buildTimeline(conversation);
}

test("a bar shows the wait, the run by step and tool, and the runs that it waited for", () => {
  const { accepted, started, opened, answered, toolStarted, toolEnded, settled, ended } =
    eventMaker();
  const { bars } = timelineOf([
    accepted("a", "first"), // 1 s
    started("r", "a"),
    accepted("b", "second"), // 3 s
    opened("r", 1),
    answered("r", 1, "let me look", ["c"]), // 5 s
    toolStarted("r", "c"),
    toolEnded("r", "c", "completed"),
    settled("a", completed("r")), // 8 s
    ended("r", completed("r")),
  ]);
  const [first, second] = bars;
  assert.deepEqual(
    first?.segments.map(({ kind, from, to, name }) => ({ kind, from, to, name })),
    [
      { kind: "model", from: 4_000, to: 5_000, name: null },
      { kind: "tool", from: 6_000, to: 7_000, name: "shell" },
    ],
  );
  assert.deepEqual(first?.active, { from: 2_000, to: 9_000 });
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual(breakdown(first, 20_000), [
    { kind: "waiting", name: null, time: 1_000 },
    { kind: "other", name: null, time: 5_000 },
    { kind: "model", name: null, time: 1_000 },
    { kind: "tool", name: "shell", time: 1_000 },
  ]);
  assert.equal(second.stage, "waiting");
  assert.deepEqual(second.waiting, { from: 3_000, to: null });
  assert.deepEqual(second.behind, [{ promptId: "a", span: { from: 3_000, to: 9_000 } }]);
});

test("a prompt lists the runs that it waited for, without those that had already ended", () => {
  const { accepted, started, settled, ended } = eventMaker();
  const run = (runId: string, promptId: string) => [
    settled(promptId, completed(runId)),
    ended(runId, completed(runId)),
  ];
  const { bars } = timelineOf([
    accepted("a", "first"),
    started("ra", "a"),
    ...run("ra", "a"),
    accepted("b", "second"),
    accepted("c", "third"),
    started("rb", "b"), // 7 s
    accepted("d", "last"), // 8 s
    ...run("rb", "b"), // 10 s
    started("rc", "c"), // 11 s
    ...run("rc", "c"), // 13 s
    started("rd", "d"),
  ]);
  assert.deepEqual(
    bars.map(({ promptId, behind }) => ({ promptId, behind })),
    [
      { promptId: "a", behind: [] },
      { promptId: "b", behind: [] },
      { promptId: "c", behind: [{ promptId: "b", span: { from: 7_000, to: 10_000 } }] },
      {
        promptId: "d",
        behind: [
          { promptId: "b", span: { from: 8_000, to: 10_000 } },
          { promptId: "c", span: { from: 11_000, to: 13_000 } },
        ],
      },
    ],
  );
});

test("a steered prompt names the prompt whose run it joined and has no segments", () => {
  const { make, accepted, started, settled, ended } = eventMaker();
  const { bars } = timelineOf([
    accepted("a", "first"),
    started("r", "a"),
    accepted("b", "steer"),
    make("prompt.takenIn", { promptId: "b", runId: "r", content: null }),
    settled("a", completed("r")),
    settled("b", completed("r")),
    ended("r", completed("r")),
  ]);
  assert.deepEqual(
    bars.map(({ promptId, joined, active, to }) => ({ promptId, joined, active, to })),
    [
      { promptId: "a", joined: null, active: { from: 2_000, to: 7_000 }, to: 7_000 },
      { promptId: "b", joined: "a", active: { from: 4_000, to: 6_000 }, to: 6_000 },
    ],
  );
});

test("after a cancel the run is shown as stopping until it ends", () => {
  const { accepted, started, stopping, settled, ended } = eventMaker();
  const { bars } = timelineOf([
    accepted("a", "first"),
    started("r", "a"),
    stopping("r"),
    settled("a", cancelled("r")), // 4 s
    ended("r", cancelled("r")),
  ]);
  assert.deepEqual(
    bars[0]?.segments.map(({ kind, from, to }) => ({ kind, from, to })),
    [{ kind: "stopping", from: 4_000, to: 5_000 }],
  );
  assert.equal(bars[0]?.to, 5_000);
});

test("a wait includes the times in which the session was held; an open hold has no end", () => {
  const { make, accepted } = eventMaker();
  const hold = (holdId: string) =>
    make("hold.placed", { hold: { kind: "person", holdId, reason: "" }, content: null });
  const { bars, holds } = timelineOf([
    hold("one"), // 1 s
    accepted("a", "first"), // 2 s
    make("hold.released", { holdId: "one", cause: "person", content: null }),
    hold("two"), // 4 s
  ]);
  assert.deepEqual(holds, [
    { from: 1_000, to: 3_000 },
    { from: 4_000, to: null },
  ]);
  assert.deepEqual(bars[0]?.held, [
    { from: 2_000, to: 3_000 },
    { from: 4_000, to: null },
  ]);
  const [first] = bars;
  assert.ok(first !== undefined);
  assert.deepEqual(breakdown(first, 10_000), [
    { kind: "waiting", name: null, time: 1_000 },
    { kind: "held", name: null, time: 7_000 },
  ]);
});

test("the time between the last activity before a crash and the resume is shown as interrupted", () => {
  const { accepted, started, resumed, opened, answered, ended } = eventMaker();
  const { bars } = timelineOf([
    accepted("a", "first"),
    started("r", "a"),
    opened("r", 1), // 3 s
    answered("r", 1, "one"),
    resumed("r"), // 5 s
    opened("r", 2),
    resumed("r"), // 7 s
    opened("r", 2),
    answered("r", 2, "two"), // 9 s
    ended("r", completed("r")),
  ]);
  assert.deepEqual(
    bars[0]?.segments.map(({ kind, from, to }) => ({ kind, from, to })),
    [
      { kind: "model", from: 3_000, to: 4_000 },
      { kind: "cutOff", from: 4_000, to: 5_000 },
      { kind: "cutOff", from: 6_000, to: 7_000 },
      { kind: "model", from: 7_000, to: 9_000 },
    ],
  );
});

test("overlapping spans get different lanes, and free lanes are reused", () => {
  assert.deepEqual(
    packLanes([
      { from: 0, to: 10 },
      { from: 5, to: null },
      { from: 10, to: 20 },
    ]),
    { places: [0, 1, 0], lanes: 2 },
  );
});

function queueOf(promptId: string) {
  const rest = { acceptSeq: 1, revision: 1, binding: null, reply: true, expiresAt: null };
  return [{ kind: "prompt", promptId, ...rest } as const];
}

test("a loaded part of a log does not reach back far enough if it lacks the accept of an unsettled prompt", () => {
  const { accepted, started } = eventMaker();
  const conversation = emptyConversation();
  for (const event of [accepted("a", "first"), started("r", "a")]) takeEvent(conversation, event);
  assert.equal(reachesBack(conversation, { active: null, queue: queueOf("a") }), true);
  assert.equal(reachesBack(conversation, { active: null, queue: queueOf("earlier") }), false);
});

test("children are placed below their parents in a stable order", () => {
  const parents: Record<string, string> = { b1: "b", b2: "b", c: "gone", b11: "b1" };
  assert.deepEqual(
    belowParents(["b11", "b2", "a", "b1", "b", "c"], (id) => parents[id] ?? null).map(
      ({ id, depth }) => `${depth}${id}`,
    ),
    ["0a", "0b", "1b2", "1b1", "2b11", "0c"],
  );
});
