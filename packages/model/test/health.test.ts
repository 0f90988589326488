import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyConversation } from "../src/conversation.ts";
import { healthOf } from "../src/health.ts";
import { parseMetrics, sumOf } from "../src/metrics.ts";
import { takeEvent } from "../src/take-event.ts";
import { completed, eventMaker } from "./support/events.ts";

test("health counts waiting, running and finished prompts and usage for each time slice", () => {
  const { accepted, started, answered, settled, ended } = eventMaker();
  const conversation = emptyConversation();
  const failed = { status: "failed", reason: "agentError", runId: "q", result: null } as const;
  const events = [
    accepted("a", "first"), // 1 s
    started("r", "a"),
    accepted("b", "second"),
    answered("r", 1, "done"), // 4 s
    settled("a", completed("r")),
    ended("r", completed("r")),
    { ...started("q", "b"), at: 6_000 }, // at the moment in which the other ends
    settled("b", failed),
    ended("q", failed),
  ];
  for (const event of events) takeEvent(conversation, event);
  const reach = { from: 0, to: 10_000, slices: 2 };
  const none = { completed: 0, failed: 0, cancelled: 0 };
  assert.deepEqual(healthOf(new Map([["s", conversation]]), reach), {
    slices: [
      {
        from: 0,
        waiting: 1,
        running: 1,
        settled: none,
        inQueue: { median: 1_000, high: 1_000 },
        inputTokens: 1,
        outputTokens: 2,
        cost: 0,
      },
      {
        from: 5_000,
        waiting: 1,
        running: 1,
        settled: { ...none, completed: 1, failed: 1 },
        inQueue: { median: 3_000, high: 3_000 },
        inputTokens: 0,
        outputTokens: 0,
        cost: 0,
      },
    ],
    inQueue: { median: 3_000, high: 3_000 },
    settled: { ...none, completed: 1, failed: 1 },
    failures: [{ sessionId: "s", promptId: "b", text: "second", at: 8_000, outcome: failed }],
  });
});

test("metrics in the Prometheus format are parsed and summed over labels", () => {
  const samples = parseMetrics(
    [
      "# HELP holdfast_tokens_total Tokens",
      'holdfast_tokens_total{direction="input"} 12',
      'holdfast_tokens_total{direction="output",say="a \\"b\\", c"} 3.5e1',
      'seconds_bucket{le="+Inf"} +Inf',
      "holdfast_prompts_queued 4",
      "nonsense here",
    ].join("\n"),
  );
  assert.deepEqual(samples, [
    { name: "holdfast_tokens_total", labels: { direction: "input" }, value: 12 },
    {
      name: "holdfast_tokens_total",
      labels: { direction: "output", say: 'a \\"b\\", c' },
      value: 35,
    },
    { name: "seconds_bucket", labels: { le: "+Inf" }, value: Infinity },
    { name: "holdfast_prompts_queued", labels: {}, value: 4 },
  ]);
  assert.equal(sumOf(samples, "holdfast_tokens_total"), 47);
  assert.equal(sumOf(samples, "holdfast_tokens_total", { direction: "input" }), 12);
  assert.equal(sumOf(samples, "holdfast_absent"), 0);
});
