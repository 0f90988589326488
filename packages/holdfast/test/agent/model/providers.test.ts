import assert from "node:assert/strict";
import { test } from "node:test";
import { AgentFailure } from "../../../src/agent/agent.ts";
import { factsOf, usageOf } from "../../../src/agent/model/catalog.ts";
import { defaultModel, openModel, providersOf } from "../../../src/agent/model/providers.ts";

test("providers are those that the environment has a key or an address for", () => {
  const found = providersOf({
    ANTHROPIC_API_KEY: " key-a ",
    OPENAI_API_KEY: "",
    OLLAMA_BASE_URL: "http://localhost:11434/v1",
    HOLDFAST_API_KEY: "without an address",
  });
  assert.deepEqual(found, [
    { name: "anthropic", key: "key-a", baseUrl: null, defaultModel: "claude-sonnet-4-5" },
    { name: "ollama", key: null, baseUrl: "http://localhost:11434/v1", defaultModel: null },
  ]);
  assert.equal(defaultModel(found), "anthropic/claude-sonnet-4-5");
  assert.equal(defaultModel([]), null);
});

test("a model that cannot be opened fails the run with what is there instead, and a hold (L4)", () => {
  const known = [{ name: "local", key: null, baseUrl: "http://localhost/v1", defaultModel: null }];
  for (const [wanted, message] of [
    [null, "no model is configured; name one as provider/model"],
    ["gpt", "gpt does not name a model; write it as provider/model"],
    ["openai/gpt-5", "no provider openai is configured (configured: local)"],
  ] as const) {
    assert.throws(
      () => openModel(known, wanted),
      (error) =>
        error instanceof AgentFailure &&
        error.reason === "modelGone" &&
        error.hold?.retryIn === null &&
        error.message === message,
    );
  }
});

test("what a model costs is counted by its family, cached input apart", () => {
  const { price, limits } = factsOf("anthropic/claude-sonnet-9");
  assert.deepEqual(limits, { context: 200_000, output: 64_000 });
  const usage = usageOf(price, { input: 1_000_000, cachedInput: 400_000, output: 100_000 });
  assert.deepEqual(usage, {
    inputTokens: 1_000_000,
    outputTokens: 100_000,
    cost: 0.6 * 3 + 0.4 * 0.3 + 0.1 * 15,
  });
  assert.equal(usageOf(null, { input: 10, cachedInput: 0, output: 10 }).cost, 0);
});

test("figures that make no sense do not spoil the answer", () => {
  assert.deepEqual(usageOf(null, { input: Number.NaN, cachedInput: -1, output: Infinity }), {
    inputTokens: 0,
    outputTokens: 0,
    cost: 0,
  });
});
