import assert from "node:assert/strict";
import { test } from "node:test";
import { startModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { Protocol } from "../../../../../gauntlet/model-server/protocol.ts";
import type { Reply } from "../../../../../gauntlet/model-server/script.ts";
import { ModelError } from "../../../src/agent/model/model.ts";
import { openModel } from "../../../src/agent/model/providers.ts";

type Expected = [
  protocol: Protocol["name"],
  reply: Extract<Reply, { status: number }>,
  kind: string,
  retryIn?: number,
];

/** Error messages of providers for these cases. */
const cases: readonly Expected[] = [
  ["openaiChat", { status: 401, message: "Incorrect API key provided" }, "badKey"],
  ["anthropic", { status: 401, message: "invalid x-api-key" }, "badKey"],
  ["google", { status: 400, message: "API key not valid. Please pass a valid API key." }, "badKey"],
  ["openaiChat", { status: 403, message: "not allowed to use this model" }, "badKey"],
  ["openaiResponses", { status: 429, code: "insufficient_quota", message: "quota" }, "noQuota"],
  ["anthropic", { status: 400, message: "Your credit balance is too low" }, "noQuota"],
  ["openaiChat", { status: 402, message: "Insufficient credits" }, "noQuota"],
  [
    "google",
    {
      status: 429,
      message: 'You exceeded your current quota. {"retryDelay": "34.5s"}',
      headers: { "retry-after": "35" },
    },
    "transient",
    35_000,
  ],
  ["openaiChat", { status: 404, message: "The model `x` does not exist" }, "modelGone"],
  ["anthropic", { status: 404, code: "not_found_error", message: "model: x" }, "modelGone"],
  [
    "openaiChat",
    { status: 400, message: "maximum context length is 128000 tokens" },
    "contextTooLong",
  ],
  [
    "anthropic",
    { status: 400, message: "prompt is too long: 201000 tokens > 200000 maximum" },
    "contextTooLong",
  ],
  [
    "google",
    {
      status: 400,
      message: "The input token count (1200000) exceeds the maximum number of tokens allowed",
    },
    "contextTooLong",
  ],
  ["anthropic", { status: 413, message: "request exceeds the maximum size" }, "contextTooLong"],
  [
    "openaiChat",
    { status: 400, message: "the request exceeds the available context size" },
    "contextTooLong",
  ],
  [
    "openaiChat",
    {
      status: 400,
      message: "This model's maximum prompt length is 131072 but the request has more",
    },
    "contextTooLong",
  ],
  [
    "anthropic",
    { status: 400, message: "Input is too long for requested model." },
    "contextTooLong",
  ],
  [
    "openaiChat",
    { status: 400, message: "Please reduce the length of the messages or completion." },
    "contextTooLong",
  ],
  [
    "openaiChat",
    { status: 400, message: "Your request exceeded model token limit: 262144" },
    "contextTooLong",
  ],
  [
    "openaiChat",
    {
      status: 429,
      message: "Request too large for gpt-4o on tokens per min: Limit 3, Requested 4",
    },
    "contextTooLong",
  ],
  ["openaiChat", { status: 403, message: "Your input was flagged" }, "contentFilter"],
  ["anthropic", { status: 400, message: "messages.0: Could not process image" }, "badFile"],
  ["openaiResponses", { status: 400, message: "The image data is not valid" }, "badFile"],
  ["google", { status: 400, message: "The document has no pages." }, "badFile"],
  [
    "openaiChat",
    { status: 404, message: "No endpoints found that support image input" },
    "badFile",
  ],
  ["openaiChat", { status: 400, code: "content_filter", message: "filtered" }, "contentFilter"],
  [
    "openaiChat",
    { status: 429, message: "Rate limit reached", headers: { "retry-after": "2" } },
    "transient",
    2_000,
  ],
  [
    "openaiChat",
    { status: 429, message: "slow", headers: { "retry-after-ms": "12.5" } },
    "transient",
    13,
  ],
  ["anthropic", { status: 529, code: "overloaded_error", message: "Overloaded" }, "transient"],
  ["openaiResponses", { status: 500, message: "The server had an error" }, "transient"],
  ["openaiChat", { status: 400, message: "tools[0] is malformed" }, "invalid"],
];

test("errors of providers are classified by the reaction that they need", async (t) => {
  let next: Reply = { status: 500 };
  const server = await startModelServer(() => next);
  t.after(() => server.close());
  for (const [protocol, reply, kind, retryIn = null] of cases) {
    next = reply;
    const error = await errorOf(server, protocol);
    assert.deepEqual(
      { kind: error.kind, retryIn: error.retryIn },
      { kind, retryIn },
      reply.message,
    );
    assert.match(error.message, /^(local|openai|anthropic|google): .+ \(.+\)$/s);
  }
});

test("a refused connection is worth a retry", async () => {
  const server = await startModelServer(() => ({ status: 500 }));
  await server.close();
  assert.equal((await errorOf(server, "openaiChat")).kind, "transient");
});

/** Errors that providers send in the middle of a stream, and the expected result. */
const events: readonly (readonly [Protocol["name"], object, kind: string, message: string])[] = [
  [
    "anthropic",
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    "transient",
    "anthropic: Overloaded (try again later)",
  ],
  [
    "openaiChat",
    { error: { message: "Overloaded", code: 529 } },
    "transient",
    "local: Overloaded (try again later)",
  ],
  [
    "openaiChat",
    { error: { message: "too many tokens", code: "context_length_exceeded" } },
    "contextTooLong",
    "local: too many tokens (the conversation does not fit into the context window; compact it or start another session)",
  ],
  [
    "openaiResponses",
    {
      type: "error",
      sequence_number: 3,
      code: "rate_limit_exceeded",
      message: "Slow",
      param: null,
    },
    "transient",
    "openai: Slow (try again later)",
  ],
  [
    "google",
    { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } },
    "transient",
    "google: Overloaded (try again later)",
  ],
];

test("an error in the middle of a stream is classified in the same way, with its own message", async (t) => {
  let raw = "";
  const server = await startModelServer(() => ({ parts: [{ text: "a" }, { raw }] }));
  t.after(() => server.close());
  for (const [protocol, event, kind, message] of events) {
    raw = `data: ${JSON.stringify(event)}\n\n`;
    const error = await errorOf(server, protocol);
    assert.deepEqual([error.kind, error.message], [kind, message]);
  }
});

test("an unknown event is ignored, and a broken event is an error", async (t) => {
  const strange: readonly (readonly [Protocol["name"], object, isTaken: boolean])[] = [
    ["anthropic", { type: "fancy", more: 1 }, true],
    [
      "anthropic",
      { type: "content_block_delta", index: 0, delta: { type: "fancy_delta", more: 1 } },
      true,
    ],
    ["anthropic", { type: "content_block_delta", index: 0, delta: { type: "text_delta" } }, false],
    ["openaiResponses", { type: "response.fancy", more: 1 }, true],
    ["openaiChat", { more: 1 }, true],
    ["openaiChat", { choices: "none" }, false],
  ];
  let raw = "";
  const server = await startModelServer(() => ({ parts: [{ text: "a" }, { raw }, { text: "b" }] }));
  t.after(() => server.close());
  for (const [protocol, event, isTaken] of strange) {
    raw = `data: ${JSON.stringify(event)}\n\n`;
    const error = await errorOf(server, protocol).catch(() => null);
    assert.equal(error === null, isTaken, JSON.stringify(event));
  }
});

const providers: Readonly<Record<Protocol["name"], string>> = {
  openaiChat: "local",
  openaiResponses: "openai",
  anthropic: "anthropic",
  google: "google",
  bedrock: "bedrock",
};

async function errorOf(server: ModelServer, protocol: Protocol["name"]): Promise<ModelError> {
  const name = providers[protocol];
  const provider = { name, key: "a-key", baseUrl: server.addresses[protocol], defaultModel: null };
  const stream = openModel([provider], `${name}/test`).stream({
    system: "You help.",
    messages: [{ role: "user", text: "hello", files: [] }],
    tools: [],
    file: async () => null,
    signal: new AbortController().signal,
    stallAfter: 5_000,
    endAfter: 10_000,
  });
  try {
    for await (const part of stream) assert.notEqual(part.type, "end");
  } catch (error) {
    assert(error instanceof ModelError);
    return error;
  }
  throw new Error("the call has succeeded");
}
