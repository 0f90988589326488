import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf } from "../../../src/agent/model/model-facts.ts";
import { efforts, levelFor, mergeWishes, reasoningOf } from "../../../src/agent/model/reasoning.ts";
import type { Reasoning } from "../../../src/agent/model/reasoning.ts";

const some: Reasoning = { efforts: ["low", "medium", "high"], canStop: false, adaptive: false };

test("a level that the model does not have becomes the next lower one, else the next higher one", () => {
  const levels = efforts.map((effort) => levelFor({ effort }, some));
  assert.deepEqual(levels, ["low", "low", "medium", "high", "high", "high"]);
  assert.equal(levelFor({ effort: "low" }, { ...some, efforts: ["high"] }), "high");
  assert.equal(levelFor({ effort: "medium" }, { ...some, efforts: ["low", "high"] }), "low");
});

test("if a model cannot stop thinking, `thinking: false` selects its lowest level", () => {
  assert.equal(levelFor({ thinking: false }, some), "low");
  assert.equal(levelFor({ thinking: false, effort: "high" }, { ...some, canStop: true }), "none");
});

test("a model that does not reason gets no request for reasoning; an unknown model gets it unchanged", () => {
  for (const wish of [{ effort: "high" }, { thinking: true }, { thinking: false }] as const) {
    assert.equal(levelFor(wish, null), null);
  }
  assert.equal(levelFor({ effort: "xhigh" }, undefined), "xhigh");
  assert.equal(levelFor({ thinking: true }, undefined), "default");
  assert.equal(levelFor({ thinking: false }, undefined), "none");
  assert.equal(levelFor({}, some), null);
});

test("an effort overrides the thinking of less specific settings", () => {
  assert.deepEqual(mergeWishes([{}, { effort: "low" }, { effort: "max" }]), { effort: "low" });
  assert.deepEqual(mergeWishes([{ effort: "low" }, { thinking: false }]), { effort: "low" });
  assert.deepEqual(mergeWishes([{ thinking: false }, { effort: "low" }]), {
    effort: "low",
    thinking: false,
  });
});

test("the abilities of models are known by name, whichever provider serves them", () => {
  const table: Readonly<Record<string, string>> = {
    "anthropic/claude-sonnet-4-5": "low..high, stops",
    "openrouter/anthropic/claude-sonnet-4.5": "low..high, stops",
    "anthropic/claude-opus-4-6": "low..max, stops, adaptive",
    "anthropic/claude-opus-4-8": "low..max, stops, adaptive",
    "anthropic/claude-sonnet-5": "low..max, stops, adaptive",
    "anthropic/claude-opus-5-5": "low..max, adaptive",
    "openai/gpt-5": "minimal..high",
    "azure/gpt-5.1": "low..high, stops",
    "openai/gpt-5.4-mini": "low..xhigh, stops",
    "openai/gpt-6-sol": "low..max, stops",
    "openai/gpt-5-chat-latest": "none",
    "openai/gpt-4.1": "none",
    "openai/o4-mini": "low..high",
    "google/gemini-2.5-flash": "minimal..high, stops",
    "google/gemini-3.5-flash": "minimal..high",
    "google/gemini-3.1-pro-preview": "low..high",
    "local/own-model": "unknown",
  };
  const found = Object.keys(table).map((model) => [model, describe(reasoningOf(factsOf(model)))]);
  assert.deepEqual(Object.fromEntries(found), table);
});

function describe(reasoning: Reasoning | null | undefined): string {
  if (reasoning === undefined) return "unknown";
  if (reasoning === null) return "none";
  const { efforts: levels, canStop, adaptive } = reasoning;
  const range = `${levels[0]}..${levels.at(-1)}`;
  return [range, ...(canStop ? ["stops"] : []), ...(adaptive ? ["adaptive"] : [])].join(", ");
}
