import assert from "node:assert/strict";
import { test } from "node:test";
import { dataFrame, fields, list } from "../../../../../gauntlet/model-server/protocol.ts";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall, Part, Reply } from "../../../../../gauntlet/model-server/script.ts";
import { openWorld } from "./world.ts";

const router = (): { name: string } => ({ name: "openrouter" });
const files = { "a.txt": "one\n" };
const read = { name: "read", input: { path: "a.txt" }, id: "call-1" };

/** A chunk of the chat API as OpenRouter sends it. */
function chunk(delta: object, more: object = {}): Part {
  return { raw: dataFrame({ choices: [{ index: 0, delta, finish_reason: null }], ...more }) };
}

function withDetails(details: readonly object[], reply: Reply): Reply {
  if (!("parts" in reply)) return reply;
  const first = details.map((detail) => chunk({ reasoning_details: [detail] }));
  return { ...reply, parts: joined(first, reply.parts) };
}

async function* joined(
  first: readonly Part[],
  rest: Iterable<Part> | AsyncIterable<Part>,
): AsyncGenerator<Part> {
  yield* first;
  yield* rest;
}

/** Gemini rejects a request in which a call lacks the reasoning that belongs to it. */
function needsDetails(call: ModelCall, reply: Reply): Reply {
  const answers = list(fields(call.body)["messages"]).map(fields);
  const called = answers.filter(({ role, tool_calls: calls }) => role === "assistant" && calls);
  const isWhole = called.every((answer) => list(answer["reasoning_details"]).length > 0);
  const message = "Function call is missing a thought_signature in functionCall parts.";
  return isWhole ? reply : { status: 400, message };
}

test("reasoning_details are sent back with the calls that they belong to, joined and in order", async (t) => {
  const sealed = {
    type: "reasoning.encrypted",
    data: "c2VhbGVk",
    id: "call-1",
    format: "google-gemini-v1",
    index: 1,
  };
  const text = { type: "reasoning.text", format: "google-gemini-v1", index: 0 };
  const details = [
    { ...text, text: "I look " },
    { ...text, text: "first", signature: "s1" },
    sealed,
  ];
  const world = await openWorld(t, {
    provider: router,
    model: "google/gemini-3-pro",
    files,
    script: inOrder(
      withDetails(details, asks(read)),
      (call) => needsDetails(call, withDetails([sealed], asks({ ...read, id: "call-2" }))),
      (call) => needsDetails(call, says("One.")),
    ),
  });
  await world.prompt("p1");
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "One." });
  const sent = list(fields(world.server.calls.at(-1)?.body)["messages"])
    .map(fields)
    .filter(({ role }) => role === "assistant");
  assert.deepEqual(
    sent.map((message) => [message["reasoning_details"], message["reasoning_content"]]),
    [
      [[{ ...text, text: "I look first", signature: "s1" }, sealed], undefined],
      [[sealed], undefined],
    ],
  );
  const answered = await world.event(({ type }) => type === "step.answered");
  assert(answered.type === "step.answered");
  const { extra } = fields(JSON.parse(await world.body(answered.body)));
  assert.equal(fields(extra)["reasoning"], "I look first");
});

test("P6 the cost that the server reports counts, even for a model without a known price", async (t) => {
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const end = (cost: object): Part[] => [
    { text: "Yes." },
    { raw: dataFrame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) },
    { raw: dataFrame({ choices: [], usage: { ...usage, ...cost } }) },
    { raw: dataFrame("[DONE]") },
    { quit: true },
  ];
  const ownKey = { cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.2 } };
  const world = await openWorld(t, {
    provider: router,
    model: "some/model",
    facts: { price: null },
    script: inOrder({ parts: end({ cost: 0.25 }) }, { parts: end(ownKey) }),
  });
  const spent: unknown[] = [];
  for (const id of ["p1", "p2"]) {
    await world.prompt(id, { budget: { tokens: null, cost: 10 } });
    assert.equal((await world.outcome(id)).text, "Yes.");
    spent.push((await world.holdfast().store.lane("main"))?.usage);
  }
  assert.deepEqual(spent, [
    { inputTokens: 100, outputTokens: 10, cost: 0.25 },
    { inputTokens: 200, outputTokens: 20, cost: 0.46 },
  ]);
  assert.deepEqual(fields(world.server.calls[0]?.body)["usage"], { include: true });
});

test("requests for a Claude model mark the parts to cache; others have no marks", async (t) => {
  for (const model of ["anthropic/claude-sonnet-5", "google/gemini-3-pro"]) {
    const world = await openWorld(t, {
      provider: router,
      model,
      files,
      script: inOrder(asks(read), asks({ ...read, id: "call-2" }), says("One.")),
    });
    await world.prompt("p1", { effort: "high" });
    await world.outcome("p1");
    const { messages, reasoning } = fields(world.server.calls.at(-1)?.body);
    const marked = list(messages).flatMap((message, place) =>
      JSON.stringify(message).includes('"cache_control":{"type":"ephemeral"}') ? [place] : [],
    );
    // The messages are: system, prompt, call, result, call, result. Marked are the system message, the last message,
    // and the last message of the previous request.
    assert.deepEqual(marked, model.startsWith("anthropic") ? [0, 3, 5] : []);
    assert.deepEqual(reasoning, { effort: "high" });
  }
});
