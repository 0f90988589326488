import assert from "node:assert/strict";
import { test } from "node:test";
import { dataFrame, eventFrame } from "../../../../../gauntlet/model-server/protocol.ts";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Part, Reply } from "../../../../../gauntlet/model-server/script.ts";
import { openWorld } from "./world.ts";

const protocols = ["openaiChat", "openaiResponses", "anthropic", "google"] as const;

/** An error that the server sends in a stream with status 200. */
function streamedError(protocol: (typeof protocols)[number], message: string): Part {
  const error = { message, code: null, type: "server_error" };
  switch (protocol) {
    case "openaiChat":
      return { raw: dataFrame({ error: { ...error, code: 529 } }) };
    case "openaiResponses":
      return { raw: eventFrame("error", { sequence_number: 2, ...error, param: null }) };
    case "anthropic":
      return { raw: eventFrame("error", { error: { type: "overloaded_error", message } }) };
    case "google":
      return { raw: dataFrame({ error: { code: 503, message, status: "UNAVAILABLE" } }) };
  }
}

for (const protocol of protocols) {
  test(`an error in a stream with status 200 is an error: the step repeats, over ${protocol}`, async (t) => {
    const broken = (): Reply => ({
      parts: [{ text: "Half" }, streamedError(protocol, "Overloaded"), { quit: true }],
    });
    const world = await openWorld(t, {
      protocol,
      script: inOrder(broken(), says("Whole."), broken(), broken(), broken()),
    });
    await world.prompt("p1");
    assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Whole." });
    await world.prompt("p2");
    const { ended, text } = await world.outcome("p2");
    assert.equal(ended, "failed: providerError");
    assert.match(text ?? "", /Overloaded|cut off/);
  });

  test(`T1 a connection that is cut in a tool call repeats the step, and the call runs once, over ${protocol}`, async (t) => {
    const input = { command: "echo run >> runs.txt" };
    const call = { name: "shell", input, id: "call-1" };
    const world = await openWorld(t, {
      protocol,
      script: inOrder(
        { parts: [{ text: "I run it." }, { call }, { cut: true }] },
        { parts: [cutCall(protocol), { cut: true }] },
        asks(call),
        says("Ran."),
      ),
      agent: { maxTries: 4 },
    });
    await world.prompt("p1");
    assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Ran." });
    assert.equal(world.read("runs.txt"), "run\n");
    const ended = (await world.log()).filter(({ type }) => type === "tool.ended");
    assert.equal(ended.length, 1);
  });
}

/** The beginning of a call whose arguments are not complete. */
function cutCall(protocol: (typeof protocols)[number]): Part {
  const half = '{"command": "echo ru';
  switch (protocol) {
    case "openaiChat": {
      const call = { index: 0, id: "c", function: { name: "shell", arguments: half } };
      return { raw: dataFrame({ choices: [{ index: 0, delta: { tool_calls: [call] } }] }) };
    }
    case "openaiResponses": {
      const item = { type: "function_call", id: "f", call_id: "c", name: "shell", arguments: "" };
      const added = { output_index: 0, item: { ...item, status: "in_progress" } };
      const delta = { item_id: "f", output_index: 0, delta: half };
      return {
        raw:
          eventFrame("response.output_item.added", added) +
          eventFrame("response.function_call_arguments.delta", delta),
      };
    }
    case "anthropic": {
      const block = { type: "tool_use", id: "c", name: "shell", input: {} };
      const delta = { type: "input_json_delta", partial_json: half };
      return {
        raw:
          eventFrame("content_block_start", { index: 0, content_block: block }) +
          eventFrame("content_block_delta", { index: 0, delta }),
      };
    }
    case "google":
      return { raw: 'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"sh' };
  }
}

test("P6 usage is estimated if a server never reports it, so that a budget still ends the run", async (t) => {
  const call = { id: "c", name: "list", input: {} };
  const world = await openWorld(t, {
    facts: { price: { input: 1, cachedInput: 1, output: 1 } },
    script: inOrder(
      silent([{ text: "word ".repeat(640) }], "stop"),
      silent([{ call }], "tool_calls"),
    ),
  });
  await world.prompt("p1");
  assert.equal((await world.outcome("p1")).ended, "completed");
  const { usage } = (await world.holdfast().store.lane("main")) ?? {};
  assert.equal(usage?.outputTokens, 1_000);
  assert((usage?.inputTokens ?? 0) > 1_000, `${usage?.inputTokens} tokens of input`);
  const cost = ((usage?.inputTokens ?? 0) + 1_000) / 1e6;
  assert(Math.abs((usage?.cost ?? 0) - cost) < 1e-12, `${usage?.cost} dollars`);
  await world.prompt("p2", { budget: { tokens: 10_000, cost: null } });
  assert.equal((await world.outcome("p2")).ended, "failed: budget");
});

/** An answer without token counts. */
function silent(parts: readonly Part[], reason: string): Reply {
  return {
    parts: [
      ...parts,
      { raw: dataFrame({ choices: [{ index: 0, delta: {}, finish_reason: reason }] }) },
      { raw: dataFrame("[DONE]") },
      { quit: true },
    ],
  };
}
