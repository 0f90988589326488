import assert from "node:assert/strict";
import { test } from "node:test";
import { recentActivity } from "../src/recent-activity.ts";
import type { Segment } from "../src/run-segments.ts";
import type { PromptBar } from "../src/timeline.ts";

const segment = (kind: Segment["kind"], from: number, to: number | null): Segment => ({
  kind,
  from,
  to,
  step: null,
  name: null,
  status: null,
  lane: 0,
  lanes: 1,
  childSessionId: null,
});

function bar(span: { from: number; begin: number; to: number | null }, segments: Segment[] = []) {
  const { from, begin, to } = span;
  return {
    promptId: "p",
    text: "words",
    delivery: "queue",
    named: { command: null, agent: null, model: null },
    stage: to === null ? "running" : "settled",
    from,
    to,
    waiting: { from, to: begin },
    held: [],
    behind: [],
    active: { from: begin, to },
    segments,
    runId: "r",
    joined: null,
    outcome: null,
    attempt: 1,
    cost: 0,
  } satisfies PromptBar;
}

test("every moment counts once, for its most important activity, up to now", () => {
  const running = bar({ from: 0, begin: 1_000, to: null }, [
    segment("model", 2_000, 4_000),
    segment("tool", 4_000, null),
    segment("asking", 6_000, 8_000),
  ]);
  // This prompt waits while the other one runs, so its time is not shown.
  const queued = { ...bar({ from: 1_000, begin: 10_000, to: null }), active: null };
  const { parts, times } = recentActivity([running, queued], { since: 0, now: 10_000, cells: 10 });
  assert.deepEqual(times, [
    { kind: "asking", time: 2_000 },
    { kind: "tool", time: 4_000 },
    { kind: "model", time: 2_000 },
    { kind: "other", time: 1_000 },
    { kind: "waiting", time: 1_000 },
  ]);
  assert.deepEqual(
    parts.map(({ kind, from, to }) => [kind, from, to]),
    [
      ["waiting", 0, 0.1],
      ["other", 0.1, 0.2],
      ["model", 0.2, 0.4],
      ["tool", 0.4, 0.6],
      ["asking", 0.6, 0.8],
      ["tool", 0.8, 1],
    ],
  );
});

test("activity before the shown time is left out, and an idle time has no part", () => {
  const bars = [
    bar({ from: 0, begin: 100, to: 900 }),
    bar({ from: 1_500, begin: 1_500, to: 2_500 }),
  ];
  const { parts, times } = recentActivity(bars, { since: 2_000, now: 4_000, cells: 4 });
  assert.deepEqual(times, [{ kind: "other", time: 500 }]);
  assert.deepEqual(parts, [{ kind: "other", from: 0, to: 0.25 }]);
  assert.deepEqual(recentActivity(bars, { since: 5_000, now: 6_000, cells: 4 }).parts, []);
});

test("thousands of calls become at most one part for each cell, and a short request stays visible", () => {
  const calls = Array.from({ length: 5_000 }, (_, index) =>
    segment(index % 3 === 0 ? "tool" : "model", index, index + 1),
  );
  const busy = bar({ from: 0, begin: 0, to: 5_000 }, [...calls, segment("asking", 2_500, 2_501)]);
  const { parts } = recentActivity([busy], { since: 0, now: 5_000, cells: 100 });
  assert.deepEqual(
    parts.map(({ kind }) => kind),
    ["model", "asking", "model"],
  );
});
