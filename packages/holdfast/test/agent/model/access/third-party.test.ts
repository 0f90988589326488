import assert from "node:assert/strict";
import { test } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import type { Provider } from "../../../../src/agent/model/known-providers.ts";
import { openModel } from "../../../../src/agent/model/providers.ts";
import { ask, providerAt, speak } from "./ask.ts";

const aws = { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };

/** A mock server by other people, so that our reading of a protocol is not checked only by ourselves. */
test("aimock's OpenAI, Claude, Gemini, Azure, Bedrock and Vertex understand our requests", async (t) => {
  const mock = new LLMock({ port: 0 });
  mock.onMessage("Hello?", { content: "Hello from aimock." });
  await mock.start();
  t.after(() => mock.stop());
  const at = (name: string, path: string, more: Partial<Provider> = {}): Provider =>
    providerAt({ name, baseUrl: `${mock.url}${path}`, key: "k", ...more });
  const cases: readonly (readonly [Provider, string])[] = [
    [at("openai", "/v1"), "gpt-5"],
    [at("local", "/v1"), "gpt-4o"],
    [at("anthropic", "/v1"), "claude-sonnet-4-5"],
    [at("google", "/v1beta"), "gemini-2.5-pro"],
    [at("azure", "?api-version=2024-10-21"), "gpt-4o"],
    [
      at("bedrock", "", { key: null, environment: aws }),
      "anthropic.claude-3-5-sonnet-20241022-v2:0",
    ],
    // aimock has Vertex's stable version only.
    [at("vertex", "/v1/projects/p/locations/us-central1"), "gemini-2.5-pro"],
  ];
  for (const [provider, model] of cases) {
    assert.equal(await ask(provider, { model }), "Hello from aimock.", provider.name);
  }
});

test("a tool call from aimock's emulation of Bedrock arrives with its arguments", async (t) => {
  const mock = new LLMock({ port: 0 });
  mock.onMessage("Hello?", { toolCalls: [{ name: "look", arguments: '{"at":"a b"}' }] });
  await mock.start();
  t.after(() => mock.stop());
  const provider = providerAt({ name: "bedrock", baseUrl: mock.url, environment: aws });
  const calls: unknown[] = [];
  const said = await speak(openModel([provider], "bedrock/amazon.nova-pro-v1:0"), (part) => {
    if (part.type === "call") calls.push([part.name, part.input]);
  });
  assert.deepEqual([said, calls], ["", [["look", { at: "a b" }]]]);
});
