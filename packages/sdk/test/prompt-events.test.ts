import assert from "node:assert/strict";
import { test } from "node:test";
import { event, eventFrame } from "./support/events.ts";
import type { EventLike } from "./support/events.ts";
import { cut, eventStream, frame, json, refusal, scripted } from "./support/scripted.ts";
import type { Answer } from "./support/scripted.ts";

const entry = { sessionId: "s1", promptId: "p1", acceptSeq: 5, status: "queued" };
const place = { step: 1, attempt: 1, kind: "text", callId: null, text: "hi" };

/** Short forms of the items that `prompt.events()` yields for these events. */
async function heard(events: EventLike[], after: Answer[] = []): Promise<string[]> {
  const text = events.map((item) => (item.seq === 0 ? frame(item.type, item) : eventFrame(item)));
  const { holdfast, timing, sent } = scripted([
    json(entry),
    eventStream(text, { end: after.length === 0 ? "silence" : "end" }),
    ...after,
  ]);
  const items: string[] = [];
  const read = async (): Promise<void> => {
    const prompt = await holdfast.session("s1").prompt("hello", { promptId: "p1" });
    for await (const item of prompt.events())
      items.push(`${"seq" in item ? item.seq : "-"} ${item.type}`);
  };
  await timing.during(read());
  assert.equal(sent[1]?.route, "GET /v1/sessions/s1/events?after=4");
  assert.equal(timing.pending(), 0);
  return items;
}

const passing = (type: string, runId: string): EventLike => event(0, type, { ...place, runId });

test("a prompt's events are its own and those of its run, and end with its outcome", async () => {
  const items = await heard([
    event(5, "prompt.accepted", { promptId: "p1" }),
    event(6, "prompt.accepted", { promptId: "p2" }),
    event(7, "step.answered", { runId: "r0" }),
    passing("delta", "r0"),
    event(8, "run.ended", { runId: "r0" }),
    event(9, "run.started", { runId: "r1", promptId: "p1" }),
    event(10, "step.opened", { runId: "r1", step: 1 }),
    passing("delta", "r1"),
    event(11, "session.renamed"),
    event(12, "prompt.takenIn", { runId: "r1", promptId: "p2" }),
    event(13, "step.answered", { runId: "r1" }),
    event(14, "tool.started", { runId: "r1" }),
    event(15, "child.linked", { runId: "r0", childSessionId: "s2", childPromptId: "c0" }),
    event(16, "child.linked", { runId: "r1", childSessionId: "s2", childPromptId: "c1" }),
    event(17, "child.settled", { childSessionId: "s2", childPromptId: "c0" }),
    event(18, "child.settled", { childSessionId: "s2", childPromptId: "c1" }),
    event(19, "ask.opened", { runId: "r1" }),
    event(20, "hold.placed", { hold: { kind: "person" } }),
    event(21, "cancel.committed", { receipt: { covered: [{ promptId: "p2" }] } }),
    event(22, "cancel.committed", { receipt: { covered: [{ promptId: "p1" }] } }),
    event(23, "run.stopping", { runId: "r1" }),
    event(24, "prompt.settled", { promptId: "p2" }),
    event(25, "prompt.settled", { promptId: "p1" }),
    event(26, "run.ended", { runId: "r1" }),
  ]);
  assert.deepEqual(items, [
    "5 prompt.accepted",
    "9 run.started",
    "10 step.opened",
    "0 delta",
    "12 prompt.takenIn",
    "13 step.answered",
    "14 tool.started",
    "16 child.linked",
    "18 child.settled",
    "19 ask.opened",
    "22 cancel.committed",
    "23 run.stopping",
    "25 prompt.settled",
  ]);
});

test("a steered prompt follows the run that it joined, until it is returned to the queue (C1)", async () => {
  const items = await heard([
    event(5, "prompt.accepted", { promptId: "p1" }),
    event(6, "step.answered", { runId: "r0" }),
    event(7, "prompt.takenIn", { runId: "r0", promptId: "p1" }),
    event(8, "step.opened", { runId: "r0", step: 2 }),
    event(9, "prompt.returned", { runId: "r0", promptId: "p1" }),
    event(10, "run.ended", { runId: "r0" }),
    event(11, "run.started", { runId: "r1", promptId: "p1" }),
    event(12, "prompt.settled", { promptId: "p1" }),
  ]);
  assert.deepEqual(items, [
    "5 prompt.accepted",
    "7 prompt.takenIn",
    "8 step.opened",
    "9 prompt.returned",
    "11 run.started",
    "12 prompt.settled",
  ]);
});

test("the events of a run are recognized after a reconnect (T2)", async () => {
  const begun = [
    event(5, "prompt.accepted", { promptId: "p1" }),
    event(6, "run.started", { runId: "r1", promptId: "p1" }),
  ];
  const rest = [
    event(7, "step.opened", { runId: "r1", step: 1 }),
    event(8, "prompt.settled", { promptId: "p1" }),
  ];
  const items = await heard(begun, [cut, eventStream(rest.map(eventFrame))]);
  assert.deepEqual(items, [
    "5 prompt.accepted",
    "6 run.started",
    "7 step.opened",
    "8 prompt.settled",
  ]);
});

test("the events of a prompt end when its session is deleted (P4)", async () => {
  const deleted = refusal(410, "deleted");
  const items = await heard(
    [event(5, "prompt.accepted", { promptId: "p1" })],
    [deleted, json({ status: "settled" })],
  );
  assert.deepEqual(items, ["5 prompt.accepted"]);
});

test("the events of a prompt end after a reset if the prompt has settled (P4)", async () => {
  const items = await heard(
    [event(5, "prompt.accepted", { promptId: "p1" }), event(0, "reset", { cursor: "20-9" })],
    [json({ ...entry, status: "settled" })],
  );
  assert.deepEqual(items, ["5 prompt.accepted", "20 reset"]);
});

test("the events of a prompt continue after a reset until the prompt settles (P4)", async () => {
  const items = await heard(
    [
      event(5, "prompt.accepted", { promptId: "p1" }),
      event(0, "reset", { cursor: "20-9" }),
      event(21, "prompt.settled", { promptId: "p1" }),
    ],
    [json({ ...entry, status: "running" })],
  );
  assert.deepEqual(items, ["5 prompt.accepted", "20 reset", "21 prompt.settled"]);
});

test("an outcome is not missed while the server restarts (P4)", async () => {
  const outcome = { status: "completed", reason: null, runId: "r1", result: "hash" };
  const settled = { ...entry, status: "settled", outcome, result: "done", settledAt: 9 };
  const draining = refusal(503, "draining", { headers: { "retry-after": "3" } });
  const { holdfast, timing, sent } = scripted([
    json(entry),
    json(entry),
    cut,
    draining,
    cut,
    json(settled),
  ]);
  const found = await timing.during(holdfast.session("s1").promptById("p1").settled());
  assert.deepEqual(found, {
    status: "completed",
    reason: null,
    runId: "r1",
    text: "done",
    entry: settled,
  });
  assert.deepEqual(
    sent.map(({ at }) => at),
    [0, 500, 1_000, 1_100, 4_100, 4_500],
  );
  assert.deepEqual(
    new Set(sent.map(({ route }) => route)),
    new Set(["GET /v1/sessions/s1/prompts/p1?wait=20"]),
  );
});

test("a failed prompt is an outcome, not an exception", async () => {
  const outcome = { status: "failed", reason: "budget", runId: "r1", result: "hash" };
  const settled = { ...entry, status: "settled", outcome, result: "too much", settledAt: 9 };
  const { holdfast, timing } = scripted([json(settled)]);
  const { status, reason, text } = await timing.during(
    holdfast.session("s1").promptById("p1").settled(),
  );
  assert.deepEqual(
    { status, reason, text },
    { status: "failed", reason: "budget", text: "too much" },
  );
});
