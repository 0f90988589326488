import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMetrics, sumOf } from "../src/metrics.ts";

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
