import assert from "node:assert/strict";
import { test } from "node:test";
import { providersOf, secretsOf } from "../../../src/agent/model/known-providers.ts";
import { ask, serve } from "./access/ask.ts";

type Variables = Readonly<Record<string, string>>;

/** The provider that the variables connect, without the fields that all providers have. */
function found(environment: Variables, named: readonly string[] = []): unknown[] {
  return providersOf(environment, { named: new Set(named) }).map(
    ({ name, key, baseUrl, bearer }) => [
      name,
      key,
      baseUrl,
      ...(bearer === undefined ? [] : ["bearer"]),
    ],
  );
}

test("variables of the vendors' own tools connect their provider", () => {
  const anthropic = "https://api.anthropic.com/v1";
  const google = "https://generativelanguage.googleapis.com/v1beta";
  const cases: readonly [Variables, unknown[]][] = [
    [{ ANTHROPIC_AUTH_TOKEN: "t" }, ["anthropic", "t", anthropic, "bearer"]],
    [
      { ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_API_KEY: "k" },
      ["anthropic", "t", anthropic, "bearer"],
    ],
    [
      { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "https://gate.example" },
      ["anthropic", "k", "https://gate.example/v1"],
    ],
    [
      { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "https://gate.example/anthropic/" },
      ["anthropic", "k", "https://gate.example/anthropic/v1"],
    ],
    [
      { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "https://gate.example/v1/" },
      ["anthropic", "k", "https://gate.example/v1"],
    ],
    [{ OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://h/v1" }, ["openai", "k", "http://h/v1"]],
    [{ GOOGLE_API_KEY: "k" }, ["google", "k", google]],
    [{ GOOGLE_GENERATIVE_AI_API_KEY: "k" }, ["google", "k", google]],
    [
      { GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: "https://g.example" },
      ["google", "k", "https://g.example/v1beta"],
    ],
    [
      { GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: "https://g.example/v1beta/" },
      ["google", "k", "https://g.example/v1beta"],
    ],
    [{ OPENROUTER_API_KEY: "k" }, ["openrouter", "k", "https://openrouter.ai/api/v1"]],
    [{ GROQ_API_KEY: "k" }, ["groq", "k", "https://api.groq.com/openai/v1"]],
    [{ MISTRAL_API_KEY: "k" }, ["mistral", "k", "https://api.mistral.ai/v1"]],
    [{ XAI_API_KEY: "k" }, ["xai", "k", "https://api.x.ai/v1"]],
    [{ DEEPSEEK_API_KEY: "k" }, ["deepseek", "k", "https://api.deepseek.com/v1"]],
    [
      { AZURE_OPENAI_API_KEY: "k", AZURE_OPENAI_ENDPOINT: "https://r.openai.azure.com/" },
      ["azure", "k", "https://r.openai.azure.com/"],
    ],
    [
      { AZURE_API_KEY: "k", AZURE_RESOURCE_NAME: "r", OPENAI_API_VERSION: "2024-10-21" },
      ["azure", "k", "https://r.openai.azure.com/?api-version=2024-10-21"],
    ],
    [
      { AWS_BEARER_TOKEN_BEDROCK: "k", AWS_REGION: "eu-west-1" },
      ["bedrock", "k", "https://bedrock-runtime.eu-west-1.amazonaws.com"],
    ],
    [{ AWS_BEARER_TOKEN_BEDROCK: "k", AWS_REGION: "evil.example/" }, ["bedrock", "k", ""]],
    [{ COPILOT_GITHUB_TOKEN: "k" }, ["copilot", "k", "https://api.githubcopilot.com"]],
  ];
  for (const [environment, expected] of cases) {
    assert.deepEqual(found(environment), [expected], JSON.stringify(environment));
  }
});

test("credentials of the machine are used only if a model of their provider is configured", () => {
  const environment = {
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_REGION: "us-east-1",
    GOOGLE_CLOUD_PROJECT: "p",
    GOOGLE_APPLICATION_CREDENTIALS: "/key.json",
  };
  assert.deepEqual(found(environment), []);
  assert.deepEqual(found(environment, ["bedrock", "vertex"]), [
    ["bedrock", null, "https://bedrock-runtime.us-east-1.amazonaws.com"],
    ["vertex", null, "https://aiplatform.googleapis.com/v1beta1/projects/p/locations/global"],
  ]);
});

test("every variable with a secret is listed as a secret", () => {
  const names = [
    "ANTHROPIC_AUTH_TOKEN",
    "GOOGLE_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_AD_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "COPILOT_GITHUB_TOKEN",
    "GROQ_API_KEY",
  ];
  const environment = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
  assert.deepEqual(
    new Set(secretsOf(environment)),
    new Set(names.map((name) => `value of ${name}`)),
  );
});

test("ANTHROPIC_AUTH_TOKEN is sent as a bearer token, and no API key with it", async (t) => {
  const server = await serve(t, ({ headers }) =>
    headers.authorization === "Bearer t-1" && headers["x-api-key"] === undefined
      ? null
      : { status: 401 },
  );
  const [provider] = providersOf({ ANTHROPIC_AUTH_TOKEN: "t-1", ANTHROPIC_BASE_URL: server.root });
  assert.ok(provider);
  assert.equal(await ask(provider), "Hello.");
});
