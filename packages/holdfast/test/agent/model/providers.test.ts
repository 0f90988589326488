import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { AgentFailure } from "../../../src/agent/agent.ts";
import { usageOf } from "../../../src/agent/model/model-facts.ts";
import {
  defaultModel,
  modelVariables,
  providersOf,
  secretsOf,
  usualModel,
} from "../../../src/agent/model/known-providers.ts";
import { openModel } from "../../../src/agent/model/providers.ts";

test("the environment's keys and addresses decide which providers there are", () => {
  const found = providersOf({
    ANTHROPIC_API_KEY: " key-a ",
    OPENAI_API_KEY: "",
    OLLAMA_BASE_URL: "http://localhost:11434/v1",
    HOLDFAST_API_KEY: "without an address",
  });
  assert.deepEqual(found, [
    {
      name: "anthropic",
      key: "key-a",
      baseUrl: "https://api.anthropic.com/v1",
      defaultModel: usualModel("anthropic"),
    },
    { name: "ollama", key: null, baseUrl: "http://localhost:11434/v1", defaultModel: null },
  ]);
  assert.equal(defaultModel(found), `anthropic/${usualModel("anthropic")}`);
  assert.equal(defaultModel([]), null);
});

test("each documented variable connects its provider", () => {
  const found = modelVariables.map(({ variable }) =>
    providersOf({ [variable]: "http://127.0.0.1:9/v1" }).map(({ name }) => name),
  );
  assert.deepEqual(
    found,
    modelVariables.map(({ provider }) => [provider]),
  );
});

test("an empty variable counts as not set", () => {
  const empty = {
    ANTHROPIC_BASE_URL: "",
    ANTHROPIC_API_KEY: " ",
    OPENAI_BASE_URL: "",
    GOOGLE_BASE_URL: "",
    OLLAMA_BASE_URL: "",
  };
  assert.deepEqual(providersOf(empty), []);
  const file = join(import.meta.dirname, "../../../src/agent/model/providers.ts");
  // Use a separate process: the packages of providers read the environment when they are loaded.
  const opened = execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `const { openModel } = await import(${JSON.stringify(file)});
     const names = ["anthropic", "openai", "google", "local"];
     const providers = names.map((name) => ({ name, key: "k", baseUrl: "http://h/v1" }));
     const fetch = async () => { throw new Error("called"); };
     const request = { messages: [], tools: [], system: "", stallAfter: 5000, endAfter: 5000 };
     for (const name of names) {
       const { stream } = openModel(providers, name + "/m", { fetch, post: fetch });
       const { signal } = new AbortController();
       await stream({ ...request, signal }).next().catch(({ message }) => console.log(message));
     }`,
    ],
    { env: empty, encoding: "utf8" },
  );
  assert.deepEqual(opened.split("\n"), [
    "anthropic: called (try again later)",
    "openai: called (try again later)",
    "google: called (try again later)",
    "local: called (try again later)",
    "",
  ]);
});

test("all configured keys count as secrets, even unused ones and passwords in addresses", () => {
  const found = secretsOf({
    OPENAI_API_KEY: " key-o\n",
    HOLDFAST_API_KEY: "key-h",
    GOOGLE_BASE_URL: "https://me:pass%2Fword@host/v1",
    OLLAMA_BASE_URL: "no address",
  });
  assert.deepEqual(found, ["key-o", "pass/word", "key-h"]);
});

test("a model that cannot be opened fails the run, lists the alternatives and holds the session (L4)", () => {
  const local = { name: "local", key: null, baseUrl: "http://localhost/v1", defaultModel: null };
  const known = [local, { ...local, name: "ollama", baseUrl: "localhost:11434" }];
  for (const [wanted, message] of [
    [
      null,
      "The provider local is connected, but no model is selected. Name one with --model local/... or HOLDFAST_MODEL.",
    ],
    ["gpt", '"gpt" is not a model name. Write it as provider/model.'],
    ["local/", '"local/" is not a model name. Write it as provider/model.'],
    [
      "openai/gpt-5",
      "The model openai/gpt-5 cannot be used: the provider openai is not connected (connected: local, ollama). " +
        "Connect it with `holdfast connect openai`, or choose another model.",
    ],
    [
      "ollama/qwen",
      "The address of the provider ollama is not an HTTP URL. Write it as http://host:port/v1.",
    ],
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

test("invalid usage figures do not fail the answer", () => {
  assert.deepEqual(
    usageOf(null, { input: Number.NaN, cachedInput: -1, cacheWrite: -1, output: Infinity }),
    {
      inputTokens: 0,
      outputTokens: 0,
      cost: 0,
    },
  );
});
