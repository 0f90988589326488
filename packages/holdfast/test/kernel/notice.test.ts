import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneEvent } from "../../src/kernel/event.ts";
import { noticeOf, quietReason, quietUntil } from "../../src/kernel/notice.ts";
import type { Attention } from "../../src/kernel/notice.ts";

const base = {
  sessionId: "main",
  seq: 7,
  at: 1_000,
  version: 1,
  actor: { kind: "client", id: "someone" },
} as const;

const outcome = (status: "completed" | "failed" | "cancelled", runId: string | null) =>
  ({ status, reason: null, runId, result: null }) as const;

const ended = (status: "completed" | "failed" | "cancelled"): LaneEvent => ({
  ...base,
  type: "run.ended",
  runId: "run",
  attempt: 1,
  outcome: outcome(status, "run"),
  usage: { inputTokens: 0, outputTokens: 0, cost: 0 },
});

const settled = (
  status: "completed" | "failed" | "cancelled",
  runId: string | null,
): LaneEvent => ({
  ...base,
  type: "prompt.settled",
  promptId: "prompt",
  outcome: outcome(status, runId),
});

const asked: LaneEvent = {
  ...base,
  type: "ask.opened",
  runId: "run",
  askId: "ask",
  callId: null,
  body: null,
  expiresAt: null,
  fence: 1,
  attempt: 1,
};

const root = { parent: null };
const child = { parent: { sessionId: "main", runId: "run" } };

test("a notice follows an ask in any session, and the end of a run in a session of a person", () => {
  const rows: [string, LaneEvent, string | null, string | null][] = [
    ["an ask", asked, "needsYou", "needsYou"],
    ["a completed run", ended("completed"), "finished", null],
    ["a failed run", ended("failed"), "failed", null],
    ["a cancelled run", ended("cancelled"), null, null],
    ["a prompt that failed with its run", settled("failed", "run"), null, null],
    ["a prompt that failed without a run", settled("failed", null), "failed", null],
    ["a prompt that was withdrawn", settled("cancelled", null), null, null],
    [
      "a run that waits for a person after a crash",
      { ...base, type: "hold.placed", hold: { kind: "recovery", holdId: "h", runId: "run" } },
      "needsYou",
      "needsYou",
    ],
    [
      "a pause by a person",
      { ...base, type: "hold.placed", hold: { kind: "person", holdId: "h", reason: "" } },
      null,
      null,
    ],
  ];
  const kinds = rows.map(([name, event]) => [
    name,
    noticeOf(event, root)?.kind ?? null,
    noticeOf(event, child)?.kind ?? null,
  ]);
  assert.deepEqual(
    kinds,
    rows.map(([name, , inRoot, inChild]) => [name, inRoot, inChild]),
  );
});

test("a notice is quiet if it was seen, if its session is muted, and in quiet hours", () => {
  const notice = { sessionId: "main", seq: 7, above: ["parent", "root"] };
  const nothing: Attention = { seen: {}, muted: [], quietHours: null };
  const night = { from: 22 * 60, to: 7 * 60, timeZone: "UTC" };
  const evening = Date.UTC(2026, 0, 1, 21, 59);
  const midnight = Date.UTC(2026, 0, 1, 0, 30);
  assert.equal(quietReason(notice, nothing, evening), null);
  assert.equal(quietReason(notice, { ...nothing, seen: { main: 6 } }, evening), null);
  assert.equal(quietReason(notice, { ...nothing, seen: { main: 7 } }, evening), "seen");
  assert.equal(quietReason(notice, { ...nothing, seen: { other: 9 } }, evening), null);
  assert.equal(quietReason(notice, { ...nothing, muted: ["main"] }, evening), "muted");
  assert.equal(quietReason(notice, { ...nothing, muted: ["root"] }, evening), "muted");
  assert.equal(quietReason(notice, { ...nothing, muted: ["other"] }, evening), null);
  assert.equal(quietReason(notice, { ...nothing, quietHours: night }, evening), null);
  assert.equal(quietReason(notice, { ...nothing, quietHours: night }, midnight), "quietHours");
});

test("quiet hours follow the time zone of the person and end at their minute", () => {
  const hours = { from: 22 * 60, to: 7 * 60, timeZone: "Asia/Shanghai" };
  // 22:00 in Shanghai is 14:00 UTC, 07:00 is 23:00 UTC.
  const end = Date.UTC(2026, 0, 1, 23, 0);
  assert.equal(quietUntil(hours, Date.UTC(2026, 0, 1, 13, 59)), null);
  assert.equal(quietUntil(hours, Date.UTC(2026, 0, 1, 14, 0)), end);
  assert.equal(quietUntil(hours, Date.UTC(2026, 0, 1, 22, 59, 30)), end);
  assert.equal(quietUntil(hours, end), null);
  assert.equal(quietUntil({ ...hours, to: hours.from }, end), null);
});
