import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { createMetrics } from "../../../src/server/metrics.ts";
import type { ServerMetrics } from "../../../src/server/metrics.ts";
import { openStreamFixture } from "./stream-fixture.ts";
import type { StreamFixture } from "./stream-fixture.ts";

test("metrics count the events of the log: accepts, outcomes, queue and run times, steps, tokens", async (context) => {
  const fixture = await openStreamFixture(context);
  const metrics = openMetrics(context, fixture);
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  const reader = await fixture.read({ sessionId: "main" });
  await reader.until("live");
  await fixture.runtime.prompt({ sessionId: "main", promptId: "first", text: "hello" });
  await fixture.runtime.prompt({ sessionId: "main", promptId: "second", text: "again" });
  const puppet = await fixture.puppets.next("main");
  await puppet.boundary();
  const usage = { inputTokens: 100, outputTokens: 20, cost: 0.5 };
  await puppet.say({ type: "answer", text: "hi", usage });
  const atWork = await values(metrics);
  assert.deepEqual([atWork["holdfast_runs_active"], atWork["holdfast_prompts_queued"]], [1, 1]);
  await fixture.runtime.prompt({ sessionId: "main", promptId: "third", text: "and again" });
  await waitFor(() => values(metrics), {
    describe: "two queued prompts",
    until: (all) => all["holdfast_prompts_queued"] === 2,
  });
  await fixture.runtime.cancel({ sessionId: "main" });
  puppet.end();
  await fixture.runtime.wait({ sessionId: "main", promptId: "first" });
  const found = await waitFor(() => values(metrics), {
    describe: "three cancelled prompts",
    until: (all) => settledIn(all) === 3,
  });
  const wanted = [
    'holdfast_prompts_accepted_total{delivery="queue"}',
    'holdfast_prompts_settled_total{status="cancelled",reason="sessionCancel"}',
    "holdfast_prompt_queue_seconds_count",
    'holdfast_run_seconds_count{status="cancelled"}',
    "holdfast_steps_total",
    'holdfast_tokens_total{direction="input"}',
    'holdfast_tokens_total{direction="output"}',
    "holdfast_cost_total",
    'holdfast_stream_subscribers{stream="session"}',
    'holdfast_stream_subscribers{stream="all"}',
    "holdfast_runs_active",
    "holdfast_lanes_waiting",
    "holdfast_prompts_queued",
  ];
  assert.deepEqual(Object.fromEntries(wanted.map((name) => [name, found[name]])), {
    'holdfast_prompts_accepted_total{delivery="queue"}': 3,
    'holdfast_prompts_settled_total{status="cancelled",reason="sessionCancel"}': 3,
    holdfast_prompt_queue_seconds_count: 1,
    'holdfast_run_seconds_count{status="cancelled"}': 1,
    holdfast_steps_total: 1,
    'holdfast_tokens_total{direction="input"}': 100,
    'holdfast_tokens_total{direction="output"}': 20,
    holdfast_cost_total: 0.5,
    'holdfast_stream_subscribers{stream="session"}': 1,
    'holdfast_stream_subscribers{stream="all"}': 0,
    holdfast_runs_active: 0,
    holdfast_lanes_waiting: 0,
    holdfast_prompts_queued: 0,
  });
  assert.ok((found["holdfast_feed_lag_seconds"] ?? -1) >= 0);
});

test("the first scrape has the current numbers of active runs and waiting lanes, from one read", async (context) => {
  const fixture = await openStreamFixture(context);
  const { runtime } = fixture;
  let reads = 0;
  const status: Runtime["status"] = async () => {
    reads += 1;
    const run = { sessionId: "main", runId: "run1" };
    return { ...(await runtime.status()), running: [run], waiting: 3 };
  };
  const metrics = openMetrics(context, { ...fixture, runtime: { ...runtime, status } });
  const found = await values(metrics);
  assert.deepEqual(
    [found["holdfast_runs_active"], found["holdfast_lanes_waiting"], reads],
    [1, 3, 1],
  );
});

test("metrics label requests by route and status, never by path", async (context) => {
  const fixture = await openStreamFixture(context);
  const metrics = openMetrics(context, fixture);
  metrics.answered({
    request: new Request("http://localhost"),
    requestId: "r1",
    method: "GET",
    route: "/v1/sessions/{sessionId}",
    path: "/v1/sessions/private-name",
    status: 404,
    duration: 0.02,
    code: "unknownSession",
    actor: null,
    error: null,
  });
  const text = await metrics.text();
  const line =
    'holdfast_http_request_seconds_count{method="GET",route="/v1/sessions/{sessionId}",status="404"} 1';
  assert.ok(text.split("\n").includes(line), text);
  assert.doesNotMatch(text, /private-name/);
});

function openMetrics(context: TestContext, fixture: StreamFixture): ServerMetrics {
  const { runtime, follower, streams } = fixture;
  const metrics = createMetrics({
    runtime,
    follower,
    subscribers: () => streams.count(),
    now: Date.now,
    process: false,
    onError: (error) => {
      throw error;
    },
  });
  context.after(() => metrics.close());
  return metrics;
}

async function values(metrics: ServerMetrics): Promise<Record<string, number>> {
  const lines = (await metrics.text()).split("\n").filter((line) => !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

function settledIn(all: Record<string, number>): number {
  return all['holdfast_prompts_settled_total{status="cancelled",reason="sessionCancel"}'] ?? 0;
}
