import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startModelServer } from "../../../../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../../../../gauntlet/model-server/model-server.ts";
import { fields } from "../../../../../../gauntlet/model-server/protocol.ts";
import { says } from "../../../../../../gauntlet/model-server/script.ts";
import type { Provider } from "../../../../src/agent/model/known-providers.ts";
import { openModel } from "../../../../src/agent/model/providers.ts";
import type { ReasoningWish } from "../../../../src/agent/model/reasoning.ts";
import { providerAt } from "./ask.ts";

interface Case {
  readonly platform: "azure" | "azure (api-version)" | "bedrock" | "vertex";
  readonly model: string;
  readonly wish: ReasoningWish;
  /** The fields of the request that ask for reasoning. */
  readonly sent: object;
}

const adaptive = { type: "adaptive", display: "summarized" };
const sonnet5 = "anthropic.claude-sonnet-5-v1:0";
const sonnet4 = "anthropic.claude-sonnet-4-5-20250929-v1:0";

const cases: readonly Case[] = [
  {
    platform: "azure",
    model: "gpt-5",
    wish: { effort: "high" },
    sent: { reasoning: { effort: "high", summary: "auto" } },
  },
  {
    platform: "azure",
    model: "gpt-5.4",
    wish: { thinking: false },
    sent: { reasoning: { effort: "none" } },
  },
  // The name of a deployment says nothing about its model, so the wish of the user decides.
  {
    platform: "azure",
    model: "my-gpt",
    wish: { effort: "low" },
    sent: { reasoning: { effort: "low", summary: "auto" } },
  },
  { platform: "azure", model: "my-gpt", wish: {}, sent: {} },
  {
    platform: "azure (api-version)",
    model: "gpt-5",
    wish: { effort: "high" },
    sent: { reasoning_effort: "high" },
  },
  {
    platform: "bedrock",
    model: sonnet5,
    wish: { effort: "high" },
    sent: {
      additionalModelRequestFields: { thinking: adaptive, output_config: { effort: "high" } },
    },
  },
  {
    platform: "bedrock",
    model: sonnet5,
    wish: {},
    sent: { additionalModelRequestFields: { thinking: adaptive } },
  },
  {
    platform: "bedrock",
    model: sonnet4,
    wish: { effort: "low" },
    sent: {
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 6_400 } },
    },
  },
  { platform: "bedrock", model: sonnet4, wish: { thinking: false }, sent: {} },
  {
    platform: "vertex",
    model: "gemini-3.5-flash",
    wish: { effort: "max" },
    sent: { thinkingConfig: { thinkingLevel: "high", includeThoughts: true } },
  },
  {
    platform: "vertex",
    model: "gemini-2.5-flash",
    wish: { thinking: false },
    sent: { thinkingConfig: { thinkingBudget: 0 } },
  },
  {
    platform: "vertex",
    model: "claude-sonnet-5",
    wish: { effort: "high" },
    sent: { thinking: adaptive, output_config: { effort: "high" } },
  },
  {
    platform: "vertex",
    model: "claude-sonnet-4-5@20250929",
    wish: { effort: "low" },
    sent: { thinking: { type: "enabled", budget_tokens: 6_400 } },
  },
];

let server: ModelServer;
before(async () => {
  server = await startModelServer(() => says("Yes."));
});
after(() => server.close());

for (const { platform, model, wish, sent } of cases) {
  test(`${model} on ${platform} is asked for ${JSON.stringify(wish)}`, async () => {
    const provider = providerOf(platform);
    const parts = openModel([provider], `${provider.name}/${model}`).stream({
      system: "Be brief.",
      messages: [{ role: "user", text: "Well?", files: [] }],
      tools: [],
      file: async () => null,
      signal: AbortSignal.timeout(60_000),
      stallAfter: 60_000,
      endAfter: 60_000,
      wish,
    });
    for await (const _ of parts);
    assert.deepEqual(reasoningFields(server.calls.at(-1)?.body), sent);
  });
}

function providerOf(platform: Case["platform"]): Provider {
  const root = `http://127.0.0.1:${server.port}`;
  const paths = {
    azure: "",
    "azure (api-version)": "?api-version=2024-10-21",
    bedrock: "",
    vertex: "/v1beta1/projects/p/locations/l",
  };
  const [name = ""] = platform.split(" ");
  return providerAt({ name, baseUrl: `${root}${paths[platform]}`, key: "k" });
}

/** Fields of a request in which platforms ask for reasoning. */
function reasoningFields(sent: unknown): object {
  const body = fields(sent);
  const places = [body, fields(body["generationConfig"])];
  const names = [
    "thinking",
    "output_config",
    "reasoning",
    "reasoning_effort",
    "thinkingConfig",
    "additionalModelRequestFields",
  ];
  const found = names.map((name) => [
    name,
    places.map((place) => place[name]).find((value) => value !== undefined),
  ]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
