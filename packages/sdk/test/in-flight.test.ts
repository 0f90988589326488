import assert from "node:assert/strict";
import { test } from "node:test";
import { trackInFlight } from "../src/index.ts";
import type { DeltaItem, SessionItem } from "../src/index.ts";

const run = { sessionId: "s1", runId: "r1" };

function delta(text: string, options: Partial<DeltaItem> = {}): DeltaItem {
  const place = { ...run, step: 1, attempt: 1, callId: null };
  return { type: "delta", ...place, kind: "text", text, ...options };
}

const tool = (callId: string, text: string): DeltaItem => delta(text, { kind: "tool", callId });

/** An event with only the fields that the tracker reads. */
function event(type: SessionItem["type"], fields: object = {}): SessionItem {
  const item: object = { type, ...run, step: 1, attempt: 1, ...fields };
  return JSON.parse(JSON.stringify(item));
}

const answered = event("step.answered");
const live = event("live", { seq: 7 });
const snapshot = event("snapshot", {
  text: "so far",
  reasoning: "hm",
  calls: [{ callId: "c1", text: "out" }],
});

const cases: [name: string, items: SessionItem[], shown: string | null][] = [
  [
    "pieces add up",
    [delta("Hel"), delta("lo"), delta("hm", { kind: "reasoning" })],
    "1.1 Hello|hm|",
  ],
  ["an opened step shows nothing yet", [event("step.opened")], "1.1 ||"],
  [
    "a step that begins anew takes its pieces back",
    [delta("Hel"), delta("", { kind: "restart" }), delta("Hi")],
    "1.1 Hi||",
  ],
  ["another attempt takes them back", [delta("Hel"), delta("Hi", { attempt: 2 })], "1.2 Hi||"],
  ["a takeover takes them back", [delta("Hel"), event("run.resumed", { attempt: 2 })], null],
  [
    "a late piece of an earlier attempt is nothing",
    [delta("Hi", { attempt: 2 }), delta("lo")],
    "1.2 Hi||",
  ],
  ["the answer in the log replaces them", [delta("Hello"), answered], "1.1 ||"],
  [
    "a late piece of an answer in the log is nothing",
    [delta("Hello"), answered, delta("lo")],
    "1.1 ||",
  ],
  [
    "calls speak after the answer, until their result",
    [answered, tool("c1", "a"), tool("c2", "x"), tool("c1", "b")],
    "1.1 ||c1:ab,c2:x",
  ],
  [
    "a result replaces its call's pieces",
    [answered, tool("c1", "a"), tool("c2", "x"), event("tool.ended", { callId: "c1" })],
    "1.1 ||c2:x",
  ],
  [
    "the next step begins with nothing",
    [delta("Hello"), answered, delta("And", { step: 2 })],
    "2.1 And||",
  ],
  ["a cut takes all back", [delta("Hel"), live], null],
  [
    "a snapshot says what was missed",
    [delta("Hel"), live, snapshot, delta(" on"), tool("c1", "put")],
    "1.1 so far on|hm|c1:output",
  ],
  ["nothing is in flight once the run has ended", [delta("Hel"), event("run.ended")], null],
  [
    "nor once the prompt is settled",
    [delta("Hel"), event("prompt.settled", { outcome: { runId: "r1" } })],
    null,
  ],
  [
    "another run begins with nothing",
    [delta("Hel"), delta("Hi", { runId: "r2", attempt: 1 })],
    "1.1 Hi||",
  ],
];

for (const [name, items, shown] of cases) {
  test(`T3: deltas are joined and discarded: ${name}`, () => {
    const tracker = trackInFlight();
    for (const item of items) tracker.take(item);
    const { current } = tracker;
    const calls = current?.calls.map(({ callId, text }) => `${callId}:${text}`).join(",");
    const { step, attempt, text, reasoning } = current ?? {};
    assert.equal(
      current === null ? null : `${step}.${attempt} ${text}|${reasoning}|${calls}`,
      shown,
    );
  });
}
