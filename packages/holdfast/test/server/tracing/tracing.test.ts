import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunFacts } from "../../../src/server/tracing/run-facts.ts";
import { createTracing } from "../../../src/server/tracing/tracing.ts";
import { call } from "../../runner/support/puppets.ts";
import { openStreamFixture } from "../stream/stream-fixture.ts";
import { attributesOf, startCollector } from "./collector.ts";

const facts: RunFacts = {
  run: async () => ({ agent: "puppet", model: "google/gemini" }),
  answer: async () => ({ model: null, finish: "stop" }),
};
const onError = (error: unknown): never => {
  throw error;
};

test("without a collector address nothing is traced", async () => {
  assert.equal(await createTracing({ environment: {}, version: "1", facts, onError }), null);
});

test("a collector gets a span for each request and run, with model calls and tools below", async (context) => {
  const { url, spans } = await startCollector(context);
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const tracing = await createTracing({ environment, version: "1.2.3", facts, onError });
  assert(tracing !== null);
  const fixture = await openStreamFixture(context);
  const stop = tracing.follow(fixture.follower, () => true);
  const reader = await fixture.read({ after: "now" });
  await reader.until("live");
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  await fixture.runtime.prompt({ sessionId: "main", promptId: "first", text: "work" });
  const puppet = await fixture.puppets.next("main");
  await puppet.boundary();
  await puppet.answer("I write", [call("call-1")]);
  await puppet.startTool("call-1");
  await puppet.endTool("call-1");
  await puppet.finish("done");
  const row = await fixture.runtime.wait({ sessionId: "main", promptId: "first" });
  await reader.until("run.ended");
  const request = new Request("http://localhost", { headers: { traceparent: "nonsense" } });
  tracing.admitted({
    request,
    method: "POST",
    route: "/v1/sessions/{sessionId}/prompts",
    duration: 0,
  });
  tracing.answered({
    request,
    requestId: "request-1",
    method: "POST",
    route: "/v1/sessions/{sessionId}/prompts",
    path: "/v1/sessions/main/prompts",
    status: 202,
    duration: 0.01,
    code: null,
    actor: { kind: "client", id: "phone" },
    error: null,
  });
  await fixture.follower.close();
  stop();
  await tracing.close();
  const [run] = spans.filter(({ name }) => name === "invoke_agent puppet");
  assert(run !== undefined);
  const nameOf = (id: string): string | null =>
    spans.find(({ spanId }) => spanId === id)?.name ?? null;
  assert.deepEqual(
    spans
      .map((span) => `${span.name} in ${nameOf(span.parentSpanId ?? "") ?? "nothing"}`)
      .toSorted(),
    [
      "POST /v1/sessions/{sessionId}/prompts in nothing",
      "chat gemini in invoke_agent puppet",
      "chat gemini in invoke_agent puppet",
      "execute_tool write in invoke_agent puppet",
      "invoke_agent puppet in nothing",
    ],
  );
  assert.equal(
    new Set(spans.filter(({ name }) => !name.startsWith("POST")).map(({ traceId }) => traceId))
      .size,
    1,
  );
  assert.deepEqual(attributesOf(run), {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.conversation.id": "main",
    "gen_ai.provider.name": "gcp.gemini",
    "gen_ai.request.model": "gemini",
    "gen_ai.agent.name": "puppet",
    "gen_ai.usage.input_tokens": 0,
    "gen_ai.usage.output_tokens": 0,
    "holdfast.usage.cost": 0,
    "holdfast.run.id": row?.runId,
    "holdfast.prompt.id": "first",
    "holdfast.run.attempt": 1,
    "holdfast.outcome": "completed",
  });
  const [answered] = spans.filter(({ name }) => name.startsWith("POST"));
  assert(answered !== undefined);
  assert.deepEqual(attributesOf(answered), {
    "http.request.method": "POST",
    "http.route": "/v1/sessions/{sessionId}/prompts",
    "url.path": "/v1/sessions/main/prompts",
    "http.response.status_code": 202,
    "holdfast.request.id": "request-1",
    "holdfast.actor": "phone",
  });
});
