import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf } from "../../../../src/agent/model/model-facts.ts";
import { parseCatalogue } from "../../../../src/agent/model/catalogue/catalogue-schema.ts";
import { builtInCatalogue } from "../../../../src/agent/model/catalogue/read-catalogue.ts";
import { usualModels } from "../../../../src/agent/model/known-providers.ts";

const catalogue = builtInCatalogue();

test("every default model resolves and has a window, an output limit and a price", () => {
  const defaults = usualModels();
  assert.deepEqual(
    defaults
      .map(({ provider }) => provider)
      .filter((name) => ["anthropic", "openai", "google"].includes(name)),
    ["anthropic", "openai", "google"],
  );
  for (const { provider, model } of defaults) {
    const { source, limits, price, endOfLife, tools } = factsOf(`${provider}/${model}`);
    assert.equal(source, "catalogue", model);
    assert.ok(limits.context >= 100_000 && limits.output >= 16_000, model);
    assert.ok(price !== null && price.input > 0 && price.output > 0, model);
    assert.ok(endOfLife === null || /^\d{4}-\d\d-\d\d$/.test(endOfLife), model);
    assert.ok(tools, model);
  }
});

test("every model of the catalogue has sound values and is found by its own name", () => {
  const { source, generated, models } = catalogue;
  const file = { format: 1, source, generated, models: Object.fromEntries(models) };
  assert.equal(typeof parseCatalogue(file), "object");
  assert.ok(models.size > 200, `${models.size} models`);
  for (const [name, { context, output, prices = {} }] of models) {
    assert.ok(output <= context, name);
    const found = catalogue.find(name);
    assert.deepEqual([name, found?.key, found?.isExact], [name, name, true]);
    for (const { input, output: answer } of Object.values(prices)) {
      assert.ok(input > 0 && answer > 0, `${name} has a price of zero`);
    }
  }
});

test("models that will be shut down have the date, however they are named", () => {
  for (const [id, end] of [
    ["anthropic/claude-sonnet-4-5", "2026-11-30"],
    ["bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "2026-11-30"],
    ["openai/gpt-5", "2026-12-11"],
    ["openai/gpt-5-2025-08-07", "2026-12-11"],
  ] as const) {
    assert.deepEqual([id, factsOf(id).endOfLife], [id, end]);
  }
});
