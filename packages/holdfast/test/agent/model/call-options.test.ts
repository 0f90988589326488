import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fields } from "../../../../../gauntlet/model-server/protocol.ts";
import { startModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import { says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelRequest } from "../../../src/agent/model/model.ts";
import { openModel } from "../../../src/agent/model/providers.ts";
import type { ReasoningWish } from "../../../src/agent/model/reasoning.ts";

interface Case {
  readonly protocol: "openaiChat" | "openaiResponses" | "anthropic" | "google";
  readonly model: string;
  readonly wish: ReasoningWish;
  /** The fields of the request that ask for reasoning. */
  readonly sent: object;
  /** The level that the answer reports. */
  readonly effort: string | undefined;
}

const summarized = { type: "adaptive", display: "summarized" };

const cases: readonly Case[] = [
  {
    protocol: "anthropic",
    model: "claude-sonnet-5",
    wish: { effort: "high" },
    sent: { thinking: summarized, output_config: { effort: "high" } },
    effort: "high",
  },
  {
    protocol: "anthropic",
    model: "claude-sonnet-5",
    wish: {},
    sent: { thinking: summarized },
    effort: undefined,
  },
  {
    protocol: "anthropic",
    model: "claude-sonnet-5",
    wish: { thinking: false, effort: "high" },
    sent: { thinking: { type: "disabled" } },
    effort: "none",
  },
  {
    protocol: "anthropic",
    model: "claude-sonnet-4-5",
    wish: { effort: "low" },
    sent: { thinking: { type: "enabled", budget_tokens: 6_400 } },
    effort: "low",
  },
  { protocol: "anthropic", model: "claude-sonnet-4-5", wish: {}, sent: {}, effort: undefined },
  {
    protocol: "openaiResponses",
    model: "gpt-5",
    wish: { effort: "max" },
    sent: { reasoning: { effort: "high", summary: "auto" } },
    effort: "high",
  },
  {
    protocol: "openaiResponses",
    model: "gpt-5",
    wish: { thinking: false },
    sent: { reasoning: { effort: "minimal", summary: "auto" } },
    effort: "minimal",
  },
  {
    protocol: "openaiResponses",
    model: "gpt-5.4",
    wish: { thinking: false },
    sent: { reasoning: { effort: "none" } },
    effort: "none",
  },
  {
    protocol: "openaiResponses",
    model: "gpt-5",
    wish: {},
    sent: { reasoning: { summary: "auto" } },
    effort: undefined,
  },
  {
    protocol: "openaiResponses",
    model: "gpt-4.1",
    wish: { effort: "high" },
    sent: {},
    effort: undefined,
  },
  {
    protocol: "google",
    model: "gemini-3.5-flash",
    wish: { effort: "max" },
    sent: { thinkingConfig: { thinkingLevel: "high", includeThoughts: true } },
    effort: "high",
  },
  {
    protocol: "google",
    model: "gemini-2.5-flash",
    wish: { thinking: false },
    sent: { thinkingConfig: { thinkingBudget: 0 } },
    effort: "none",
  },
  {
    protocol: "google",
    model: "gemini-2.5-pro",
    wish: {},
    sent: { thinkingConfig: { includeThoughts: true } },
    effort: undefined,
  },
  {
    protocol: "openaiChat",
    model: "qwen3",
    wish: { effort: "low" },
    sent: { reasoning_effort: "low", chat_template_kwargs: { enable_thinking: true } },
    effort: "low",
  },
  { protocol: "openaiChat", model: "qwen3", wish: {}, sent: {}, effort: undefined },
];

let server: ModelServer;

before(async () => {
  server = await startModelServer(() => says("Yes."));
});

after(() => server.close());

const names = {
  openaiChat: "local",
  openaiResponses: "openai",
  anthropic: "anthropic",
  google: "google",
} as const;

for (const { protocol, model: name, wish, sent, effort } of cases) {
  test(`${name} over ${protocol} is asked for ${JSON.stringify(wish)}`, async () => {
    const provider = names[protocol];
    const baseUrl = server.addresses[protocol];
    const providers = [{ name: provider, key: "k", baseUrl, defaultModel: null }];
    const model = openModel(providers, `${provider}/${name}`);
    const ends: unknown[] = [];
    for await (const part of model.stream({ ...request, wish })) {
      if (part.type === "end") ends.push(part.effort);
    }
    assert.deepEqual(reasoningFields(server.calls.at(-1)?.body), sent);
    assert.deepEqual(ends, [effort]);
  });
}

const request: ModelRequest = {
  system: "Be brief.",
  messages: [{ role: "user", text: "Well?", files: [] }],
  tools: [],
  file: async () => null,
  signal: new AbortController().signal,
  stallAfter: 5_000,
  endAfter: 5_000,
};

/** Fields of a request in which protocols ask for reasoning. */
function reasoningFields(sent: unknown): object {
  const body = fields(sent);
  const config = fields(body["generationConfig"]);
  const names = [
    "thinking",
    "output_config",
    "reasoning",
    "reasoning_effort",
    "chat_template_kwargs",
    "thinkingConfig",
  ];
  const found = names.map((name) => [name, body[name] ?? config[name]]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
