import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf } from "../../../../src/agent/model/model-facts.ts";
import { createCatalogue } from "../../../../src/agent/model/catalogue/catalogue.ts";
import type { CatalogueModel } from "../../../../src/agent/model/catalogue/catalogue.ts";

const model: CatalogueModel = { name: "", from: "", family: "", context: 200_000, output: 64_000 };
const closed = { ...model, prices: { "*": { input: 3, output: 15, cachedInput: 0.3 } } };
const catalogue = createCatalogue({
  format: 1,
  source: "test",
  generated: "2026-11-02",
  models: {
    "claude-sonnet-4-5": { ...closed, family: "claude-sonnet", endOfLife: "2026-11-30" },
    "claude-sonnet-5": { ...closed, family: "claude-sonnet" },
    "claude-sonnet-5-5-preview": { ...closed, family: "claude-sonnet-preview" },
    "claude-opus-4-6": { ...closed, family: "claude-opus" },
    "gpt-5.1": { ...closed, family: "gpt" },
    "gpt-5.6-sol": { ...closed, family: "gpt-sol" },
    "gpt-oss-20b": { ...model, family: "gpt-oss", prices: { groq: { input: 1, output: 2 } } },
    "llama-3.1-8b-instruct": { ...model, family: "llama-8b-instruct" },
    "kimi-k3": { ...model, family: "kimi-k", context: 1_000_000, output: 1_000_000 },
  },
});

test("a model is found by every name that services have for it", () => {
  for (const [name, key] of [
    ["claude-sonnet-4-5", "claude-sonnet-4-5"],
    ["anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"],
    ["anthropic/claude-sonnet-4.5:thinking", "claude-sonnet-4-5"],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
    ["global.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"],
    ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
    ["claude-sonnet-4-5@default", "claude-sonnet-4-5"],
    ["publishers/anthropic/models/claude-sonnet-4-5", "claude-sonnet-4-5"],
    ["GPT-5.1", "gpt-5.1"],
    ["gpt-5.1-2026-01-31", "gpt-5.1"],
    ["openai.gpt-5.6-sol", "gpt-5.6-sol"],
    ["gpt-oss:20b", "gpt-oss-20b"],
    ["accounts/fireworks/models/gpt-oss-20b", "gpt-oss-20b"],
    ["meta.llama3-1-8b-instruct-v1:0", "llama-3.1-8b-instruct"],
    ["meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct"],
  ] as const) {
    const found = catalogue.find(name);
    assert.deepEqual([name, found?.key, found?.isExact], [name, key, true]);
  }
});

test("the provider's name decides only the price of models that several services host", () => {
  const price = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3, tiers: [] };
  const own = factsOf("anthropic/claude-sonnet-4-5", catalogue);
  assert.deepEqual(own.price, price);
  assert.equal(own.endOfLife, "2026-11-30");
  for (const id of ["azure/claude-sonnet-4-5", "openrouter/anthropic/claude-sonnet-4.5"]) {
    const accepts = { ...own.accepts, documents: false };
    assert.deepEqual(factsOf(id, catalogue), { ...own, accepts }, id);
  }
  assert.equal(factsOf("groq/openai/gpt-oss-20b", catalogue).price?.output, 2);
  assert.equal(factsOf("local/gpt-oss-20b", catalogue).price, null);
});

test("an unknown model gets the limits of a related one, no price, and is marked as a guess", () => {
  const relative = factsOf("anthropic/claude-sonnet-9", catalogue);
  assert.deepEqual(relative.limits, { context: 200_000, output: 64_000 });
  assert.deepEqual([relative.price, relative.source], [null, "guess"]);
  const fast = catalogue.find("claude-opus-4-6-fast");
  assert.deepEqual([fast?.key, fast?.isExact], ["claude-opus-4-6", false]);
  const stranger = factsOf("local/nobody-knows", catalogue);
  assert.deepEqual(stranger.limits, { context: 128_000, output: 16_000 });
  assert.deepEqual([stranger.price, stranger.source], [null, "guess"]);
});

test("half of the window is left to the input", () => {
  assert.deepEqual(factsOf("moonshotai/kimi-k3", catalogue).limits, {
    context: 1_000_000,
    output: 500_000,
  });
});

test("the newest stable model of a family is chosen by its version", () => {
  assert.equal(catalogue.newest(["claude-sonnet"]), "claude-sonnet-5");
  assert.equal(catalogue.newest(["gone", "gpt-sol"]), "gpt-5.6-sol");
  assert.equal(catalogue.newest(["claude-sonnet-preview"]), null);
  assert.equal(catalogue.newest([]), null);
});
