import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { connect } from "@holdfast/sdk";
import { startModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import { openCli } from "../../cli/test-cli.ts";
import { replying } from "../../cli/model-cli.ts";
import { attributesOf, startCollector } from "./collector.ts";
import type { CollectedSpan } from "./collector.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

test("a prompt with a tool call and a child gives spans by the GenAI conventions", async (t) => {
  const model = await startModelServer(
    replying({
      "read and delegate": [
        asks(
          { name: "read", input: { path: "a.txt" } },
          { name: "task", input: { prompt: "child work" } },
        ),
        says("All done."),
      ],
      "child work": [says("Child done.")],
    }),
  );
  t.after(() => model.close());
  const collector = await startCollector(t);
  const cli = openCli(t, {
    HOLDFAST_BASE_URL: model.addresses.openaiChat,
    HOLDFAST_API_KEY: "sk-none",
    HOLDFAST_MODEL: "local/test",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test%20bench,service.name=listed",
    OTEL_SERVICE_NAME: "holdfast-test",
  });
  writeFileSync(join(cli.folder, "a.txt"), "a\n");
  const agents = { lead: { description: "Leads" } };
  writeFileSync(join(cli.folder, "holdfast.jsonc"), JSON.stringify({ agents }));
  const { url, token, running } = await cli.serve();
  const session = { directory: cli.folder, agent: "lead" };
  const { sessionId } = await connect({ url, token }).sessions.create(session);
  const address = `${url}/v1/sessions/${sessionId}/prompts?wait=60`;
  const sent = await fetch(address, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      traceparent: `00-${traceId}-${spanId}-01`,
    },
    body: JSON.stringify({ text: "read and delegate" }),
  });
  const prompt: { outcome: { status: string } } = JSON.parse(await sent.text());
  assert.equal(prompt.outcome.status, "completed");
  // An unknown sender cannot write into the traces of others.
  await fetch(address, { method: "POST", headers: { traceparent: `00-${traceId}-${spanId}-01` } });
  running.process.kill("SIGTERM");
  await running.ended;

  const { spans } = collector;
  const named = (name: string): CollectedSpan[] => spans.filter((span) => span.name === name);
  const [request] = spans.filter(({ parentSpanId }) => parentSpanId === spanId);
  assert.deepEqual(
    [request?.name, request?.kind, request?.traceId],
    ["POST /v1/sessions/{sessionId}/prompts", 2, traceId],
  );
  assert.equal(spans.filter((span) => span.traceId === traceId).length, 1);

  const [[run], [childRun]] = [named("invoke_agent lead"), named("invoke_agent default")];
  assert(run !== undefined && childRun !== undefined, spans.map(({ name }) => name).join());
  assert.deepEqual(
    run.links?.map((link) => [link.traceId, link.spanId]),
    [[traceId, request?.spanId]],
  );
  const [task] = named("execute_tool task");
  assert.equal(childRun.parentSpanId, task?.spanId);
  const inside = spans.filter((span) => span.traceId === run.traceId);
  assert.deepEqual(inside.map(({ name, kind }) => `${name} (${kind})`).toSorted(), [
    "chat test (3)",
    "chat test (3)",
    "chat test (3)",
    "execute_tool read (1)",
    "execute_tool task (1)",
    "invoke_agent default (1)",
    "invoke_agent lead (1)",
  ]);
  const [first] = named("chat test");
  assert(first !== undefined && task !== undefined);
  const { "holdfast.step": _, ...chat } = attributesOf(first);
  assert.deepEqual(chat, {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "local",
    "gen_ai.request.model": "test",
    "gen_ai.request.stream": true,
    "gen_ai.conversation.id": sessionId,
    "gen_ai.response.finish_reasons": ["tool_calls"],
    "gen_ai.usage.input_tokens": chat["gen_ai.usage.input_tokens"],
    "gen_ai.usage.output_tokens": chat["gen_ai.usage.output_tokens"],
    "holdfast.usage.cost": 0,
  });
  const tool = attributesOf(task);
  assert.match(String(tool["gen_ai.tool.call.id"]), /^call_/);
  assert.deepEqual([tool["gen_ai.tool.name"], tool["gen_ai.tool.type"]], ["task", "function"]);
  for (const span of inside) checkConventions(span);
  assert.deepEqual(collector.resource(), {
    ...collector.resource(),
    "service.name": "holdfast-test",
    "deployment.environment.name": "test bench",
  });
});

const known = new Set<unknown>(
  Object.entries(conventions).flatMap(([name, value]) => (name.startsWith("ATTR_") ? [value] : [])),
);
const operations = new Set<unknown>(
  Object.entries(conventions).flatMap(([name, value]) =>
    name.startsWith("GEN_AI_OPERATION_NAME_VALUE_") ? [value] : [],
  ),
);

/** Attributes that the conventions require or recommend for each operation. */
const expected: Readonly<Record<string, readonly string[]>> = {
  invoke_agent: [
    "gen_ai.provider.name",
    "gen_ai.agent.name",
    "gen_ai.conversation.id",
    "gen_ai.request.model",
  ],
  chat: [
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.conversation.id",
    "gen_ai.response.finish_reasons",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
  ],
  execute_tool: ["gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.type"],
};

function checkConventions(span: CollectedSpan): void {
  const attributes = attributesOf(span);
  const operation = String(attributes["gen_ai.operation.name"]);
  assert.ok(operations.has(operation), operation);
  assert.ok(span.name.startsWith(`${operation} `), span.name);
  for (const key of Object.keys(attributes)) {
    assert.ok(known.has(key) || key.startsWith("holdfast."), `${span.name}: ${key}`);
  }
  for (const key of expected[operation] ?? []) {
    assert.ok(key in attributes, `${span.name} has no ${key}`);
  }
}
