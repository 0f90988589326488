import assert from "node:assert/strict";
import { test } from "node:test";
import type { RawAnswer } from "../../../../../gauntlet/model-server/model-server.ts";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Part, Reply } from "../../../../../gauntlet/model-server/script.ts";
import type { Provider } from "../../../src/agent/model/known-providers.ts";
import { key, openWorld } from "./world.ts";

const aws = {
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret-of-aws-0123456789",
};

/** Each platform, with the signatures of its reasoning that have to come back. */
const platforms: readonly {
  readonly title: string;
  readonly model: string;
  readonly provider: (root: string) => Partial<Provider>;
  readonly signatures: readonly string[];
  readonly isPriced: boolean;
}[] = [
  {
    title: "Amazon Bedrock",
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    provider: (root) => ({ name: "bedrock", baseUrl: root, key: null, environment: aws }),
    signatures: ["signed-0-0"],
    isPriced: true,
  },
  {
    title: "Azure OpenAI (v1)",
    model: "my-gpt",
    provider: (root) => ({ name: "azure", baseUrl: root }),
    signatures: ["sealed-rs_0_0"],
    isPriced: false,
  },
  {
    title: "Azure OpenAI (api-version)",
    model: "my-gpt",
    provider: (root) => ({ name: "azure", baseUrl: `${root}/?api-version=2024-10-21` }),
    signatures: ["first I look"],
    isPriced: false,
  },
  {
    title: "Gemini on Vertex",
    model: "gemini-2.5-pro",
    provider: (root) => ({ name: "vertex", baseUrl: `${root}/v1beta1/projects/p/locations/l` }),
    signatures: ["signed-0-1"],
    isPriced: true,
  },
  {
    title: "Claude on Vertex",
    model: "claude-sonnet-4-5@20250929",
    provider: (root) => ({ name: "vertex", baseUrl: `${root}/v1beta1/projects/p/locations/l` }),
    signatures: ["signed-0-0"],
    isPriced: true,
  },
];

for (const { title, model, provider, signatures, isPriced } of platforms) {
  test(`T1 R2 a tool is called over ${title}, and the reasoning is sent back`, async (t) => {
    const world = await openWorld(t, {
      model,
      provider,
      files: { "note.txt": "seventeen\n" },
      script: inOrder(
        thinks(asks({ name: "read", input: { path: "note.txt" }, id: "look-1" })),
        says("It says seventeen."),
      ),
    });
    await world.prompt("p1", { text: "What does note.txt say?" });
    assert.deepEqual(await world.outcome("p1"), {
      ended: "completed",
      text: "It says seventeen.",
    });
    const last = world.server.calls.at(-1);
    assert.equal(last?.model, model);
    const results = last?.messages.flatMap((message) => message.results) ?? [];
    assert.match(results.map(({ text }) => text).join(""), /seventeen/);
    assert.deepEqual(
      last?.messages.flatMap((message) => message.signatures),
      signatures,
    );
    const row = await world.holdfast().store.lane("main");
    assert.deepEqual([row?.usage.inputTokens, row?.usage.outputTokens], [1_010, 105]);
    // The catalogue knows a model by its name at any platform, but not the name of a deployment.
    assert.equal((row?.usage.cost ?? 0) > 0, isPriced);
  });
}

test("Bedrock gets cache points for Claude, and none for models without a cache", async (t) => {
  for (const [model, points] of [
    ["anthropic.claude-sonnet-4-5-20250929-v1:0", 2],
    ["meta.llama4-maverick-17b-instruct-v1:0", 0],
  ] as const) {
    const world = await openWorld(t, {
      model,
      provider: (root) => ({ name: "bedrock", baseUrl: root }),
      script: inOrder(says("Hello.")),
    });
    await world.prompt("p1");
    assert.equal((await world.outcome("p1")).ended, "completed");
    const wire = JSON.stringify(world.server.calls[0]?.body);
    assert.equal(wire.split('"cachePoint":{"type":"default"}').length - 1, points);
  }
});

test("L4 credentials that expire during a run and cannot be renewed pause the session with the reason", async (t) => {
  let isExpired = false;
  const expired = (): RawAnswer | null =>
    isExpired
      ? { status: 403, body: { message: "The security token included in the request is expired" } }
      : null;
  const world = await openWorld(t, {
    provider: (root) => ({ name: "bedrock", baseUrl: root, key: null, environment: aws }),
    before: expired,
    files: { "note.txt": "seventeen\n" },
    script: () => {
      isExpired = true;
      return asks({ name: "read", input: { path: "note.txt" }, id: "look-1" });
    },
  });
  await world.prompt("p1");
  await world.prompt("p2");
  const { ended, text } = await world.outcome("p1");
  assert.equal(ended, "failed: badKey");
  assert.match(text ?? "", /have expired and could not be renewed .*aws sso login/);
  const lane = await world.holdfast().store.lane("main");
  assert.deepEqual(
    lane?.holds.map((hold) => (hold.kind === "failure" ? hold.reason : hold.kind)),
    ["badKey"],
  );
  assert.equal(JSON.stringify(await world.log()).includes(key), false);
});

function thinks(reply: Reply): Reply {
  if ("status" in reply) return reply;
  const usage = { input: 1_000, cached: 400, output: 100 };
  return { ...reply, parts: after({ reasoning: "first I look" }, reply.parts), usage };
}

async function* after(
  first: Part,
  rest: Iterable<Part> | AsyncIterable<Part>,
): AsyncGenerator<Part> {
  yield first;
  yield* rest;
}
