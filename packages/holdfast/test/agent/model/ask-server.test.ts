import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { askServer } from "../../../src/agent/model/ask-server.ts";
import { factsOf } from "../../../src/agent/model/model-facts.ts";
import type { ModelFacts } from "../../../src/agent/model/model-facts.ts";
import { withServer } from "../../../src/agent/model/catalogue/server-facts.ts";
import { ollama, openRouter, startServer, vllm } from "./local-servers.ts";
import type { Routes } from "./local-servers.ts";

test("vLLM states the window that it was started with", async (t) => {
  const { facts } = await ask(t, vllm, "coder");
  assert.deepEqual(facts.limits, { context: 16_384, output: 8_192 });
  assert.deepEqual([facts.source, facts.price], ["server", null]);
  assert.match(facts.windowSetting ?? "", /--max-model-len/);
});

test("OpenRouter states window, output, images, tools, price and end of life", async (t) => {
  const { facts } = await ask(t, openRouter, "acme/rocket-2");
  assert.deepEqual(facts.limits, { context: 131_072, output: 32_768 });
  assert.deepEqual(facts.price, { input: 0.3, output: 1.2, cachedInput: 0.03, cacheWrite: 0.3 });
  assert.deepEqual([facts.accepts.images, facts.tools], [true, true]);
  assert.deepEqual([facts.endOfLife, facts.source], ["2026-12-24", "server"]);
  const varying = await ask(t, openRouter, "acme/varies");
  assert.deepEqual([varying.facts.price, varying.facts.tools], [null, false]);
});

test("Ollama states the window with which the model is loaded, not the one of its training", async (t) => {
  const { facts, requests } = await ask(
    t,
    ollama({ loadedWith: 4_096, isLoaded: true }),
    "qwen3:8b",
  );
  assert.deepEqual(facts.limits, { context: 4_096, output: 2_048 });
  assert.match(facts.windowSetting ?? "", /OLLAMA_CONTEXT_LENGTH=32768.*num_ctx/);
  assert.deepEqual(requests, ["GET /v1/models", "POST /api/show", "GET /api/ps"]);
});

test("a model that Ollama has not loaded is loaded first, so that its window is known", async (t) => {
  const { facts, requests } = await ask(t, ollama({ loadedWith: 32_768 }), "qwen3:8b");
  assert.equal(facts.limits.context, 32_768);
  assert.deepEqual(requests.slice(2), ["GET /api/ps", "POST /api/generate", "GET /api/ps"]);
});

test("an Ollama that does not tell the loaded window gets num_ctx, or its default of 4,096 as a guess", async (t) => {
  const set = await ask(t, ollama({ parameters: "stop  x\nnum_ctx   8192" }), "qwen3:8b");
  assert.deepEqual([set.facts.limits.context, set.facts.source], [8_192, "server"]);
  const silent = await ask(t, ollama({}), "qwen3:8b");
  assert.deepEqual([silent.facts.limits.context, silent.facts.source], [4_096, "guess"]);
});

test("Ollama's capabilities decide about images and tools", async (t) => {
  const { facts } = await ask(t, ollama({ capabilities: ["completion", "vision"] }), "qwen3:8b");
  assert.deepEqual([facts.accepts.images, facts.tools], [true, false]);
});

test("a server that states nothing, sends nonsense or is too slow leaves the catalogue's facts", async (t) => {
  const nonsense = { data: [{ id: "gpt-oss-20b", max_model_len: -1, context_length: "many" }] };
  for (const routes of [
    {},
    { "GET /v1/models": nonsense },
    { "GET /v1/models": "no list" },
    { "GET /v1/models": { data: [null, 1, { id: 3 }] } },
  ]) {
    const { facts } = await ask(t, routes, "gpt-oss-20b");
    assert.deepEqual(facts, factsOf("local/gpt-oss-20b"));
  }
  const provider = {
    name: "local",
    key: null,
    baseUrl: "http://127.0.0.1:9/v1",
    defaultModel: null,
  };
  const options = { fetch: never, timeout: 20, loadTimeout: 20 };
  assert.equal(await askServer(provider, "gpt-oss-20b", options), null);
});

test("the APIs of model makers are not asked for a model's limits", async (t) => {
  const { requests, baseUrl } = await startServer(t, {});
  const provider = { name: "anthropic", key: "k", baseUrl, defaultModel: null };
  assert.equal(await askServer(provider, "m", { timeout: 1_000, loadTimeout: 1_000 }), null);
  assert.deepEqual(requests, []);
});

/** Does not answer until the request is aborted. */
const never: typeof fetch = async (_, init) => {
  const signal = init?.signal;
  await new Promise((resolve) => {
    signal?.addEventListener("abort", resolve);
  });
  throw signal?.reason;
};

async function ask(
  t: TestContext,
  routes: Routes,
  model: string,
): Promise<{ facts: ModelFacts; requests: readonly string[] }> {
  const { baseUrl, requests } = await startServer(t, routes);
  const provider = { name: "local", key: null, baseUrl, defaultModel: null };
  const server = await askServer(provider, model, { timeout: 5_000, loadTimeout: 5_000 });
  return { facts: withServer(factsOf(`local/${model}`), server), requests };
}
