import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { createTracing } from "../../../src/server/tracing.ts";
import { call } from "../../runner/support/puppets.ts";
import { listen } from "./listen.ts";
import { openStreamFixture } from "./stream-fixture.ts";

test("without a collector address nothing is traced", async () => {
  assert.equal(await createTracing({ environment: {}, version: "1" }), null);
});

test("a collector gets a span for each request and run, with steps and tools below", async (context) => {
  const { url, spans } = await startCollector(context);
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const tracing = await createTracing({ environment, version: "1.2.3" });
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
  tracing.answered({
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
  const [run] = spans.filter(({ name }) => name === "run");
  assert(run !== undefined);
  const nameOf = (id: string): string | null =>
    spans.find(({ spanId }) => spanId === id)?.name ?? null;
  assert.deepEqual(
    spans
      .map((span) => `${span.name} in ${nameOf(span.parentSpanId ?? "") ?? "nothing"}`)
      .toSorted(),
    [
      "POST /v1/sessions/{sessionId}/prompts in nothing",
      "run in nothing",
      "step 1 in run",
      "step 2 in run",
      "tool write in step 1",
    ],
  );
  assert.equal(
    new Set(spans.filter(({ name }) => !name.startsWith("POST")).map(({ traceId }) => traceId))
      .size,
    1,
  );
  assert.deepEqual(attributesOf(run), {
    "holdfast.session.id": "main",
    "holdfast.run.id": row?.runId,
    "holdfast.prompt.id": "first",
    "holdfast.run.attempt": 1,
    "holdfast.outcome": "completed",
  });
  const [request] = spans.filter(({ name }) => name.startsWith("POST"));
  assert(request !== undefined);
  assert.deepEqual(attributesOf(request), {
    "http.request.method": "POST",
    "http.route": "/v1/sessions/{sessionId}/prompts",
    "http.response.status_code": 202,
    "holdfast.request.id": "request-1",
    "holdfast.actor": "phone",
  });
});

interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number };
  }[];
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
}

async function startCollector(
  context: TestContext,
): Promise<{ url: string; spans: CollectedSpan[] }> {
  const spans: CollectedSpan[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    assert.equal(request.url, "/v1/traces");
    const { resourceSpans }: Exported = JSON.parse(await text(request));
    for (const { scopeSpans } of resourceSpans) {
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    response.writeHead(200, { "content-type": "application/json" });
    response.end("{}");
  };
  const port = await listen(context, (request, response) => void take(request, response));
  return { url: `http://127.0.0.1:${port}`, spans };
}

function attributesOf({ attributes }: CollectedSpan): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );
}
