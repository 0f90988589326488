import assert from "node:assert/strict";
import { test } from "node:test";
import { fields } from "../../../../../gauntlet/model-server/protocol.ts";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall, Reply, Script } from "../../../../../gauntlet/model-server/script.ts";
import { isSummaryCall } from "./summary-call.ts";
import { openWorld } from "./world.ts";

const files = { "long.txt": "all work and no play\n".repeat(2_000) };

/** Counts and rejects like vLLM: the prompt and the longest possible answer must fit together. */
function vllm(window: number, script: Script): Script {
  return (call) => {
    const prompt = tokensOf(call);
    const answer = Number(fields(call.body)["max_tokens"]);
    if (prompt + answer > window) {
      const message = `This model's maximum context length is ${window} tokens. However, you requested ${prompt + answer} tokens (${prompt} in the messages, ${answer} in the completion). Please reduce the length of the messages or completion.`;
      return { status: 400, message };
    }
    return script(call);
  };
}

/** Four characters are a token in most texts. */
function tokensOf({ body }: ModelCall): number {
  const { messages, tools } = fields(body);
  return Math.ceil((JSON.stringify(messages).length + JSON.stringify(tools ?? []).length) / 4);
}

function reading(times: number): Script {
  let steps = 0;
  return (call): Reply => {
    if (isSummaryCall(call)) return says("SUMMARY: long.txt was read.");
    steps += 1;
    const usage = { input: tokensOf(call), cached: 0, output: 50 };
    const read = { name: "read", input: { path: "long.txt", offset: steps }, id: `c${steps}` };
    return { ...(steps <= times ? asks(read) : says("Read it.")), usage };
  };
}

test("a long run fits into a window of 16,384 tokens, and no request exceeds it", async (t) => {
  let refusals = 0;
  const script = vllm(16_384, reading(12));
  const world = await openWorld(t, {
    files,
    facts: { limits: { context: 16_384, output: 8_192 }, source: "server" },
    script: async (call) => {
      const reply = await script(call);
      refusals += "status" in reply ? 1 : 0;
      return reply;
    },
  });
  await world.prompt("p1", { text: "Read it again and again." });
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Read it." });
  assert.ok(world.server.calls.some(isSummaryCall), "the conversation was compacted");
  assert.equal(refusals, 0);
});

test("if a server accepts fewer tokens than expected, the conversation is fitted to its real window", async (t) => {
  const world = await openWorld(t, {
    files,
    facts: { limits: { context: 1_000_000, output: 4_000 } },
    script: vllm(16_384, reading(12)),
  });
  await world.prompt("p1", { text: "Read it again and again." });
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Read it." });
  const refused = world.server.calls.filter((call) => tokensOf(call) > 16_384);
  assert.ok(refused.length <= 1, `${refused.length} requests were too long`);
});

test("if a server does not state its window, requests get smaller until one is accepted", async (t) => {
  const script = reading(12);
  const world = await openWorld(t, {
    files,
    facts: { limits: { context: 1_000_000, output: 4_000 } },
    script: (call) =>
      tokensOf(call) > 12_000 ? { status: 400, message: "prompt is too long" } : script(call),
  });
  await world.prompt("p1", { text: "Read it again and again." });
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Read it." });
});

test("if the expected window is too large and a prompt does not fit, the error names the window and the setting", async (t) => {
  const world = await openWorld(t, {
    model: "liar",
    facts: { limits: { context: 1_000_000, output: 4_000 } },
    script: vllm(16_384, () => says("Never.")),
  });
  await world.prompt("p1", { text: "word ".repeat(20_000) });
  const { ended, text } = await world.outcome("p1");
  assert.equal(ended, "failed: contextTooLong");
  assert.match(text ?? "", /context window is 16,384 tokens, but Holdfast expected 1,000,000/);
  assert.match(text ?? "", /set providers\.local\.models\["liar"\]\.context in your config/);
});

test("L4 a window too small for the instructions fails before a request, names the setting, and holds the session", async (t) => {
  const windowSetting = "Start Ollama with a larger window, such as OLLAMA_CONTEXT_LENGTH=32768";
  const world = await openWorld(t, {
    model: "qwen3",
    facts: { limits: { context: 4_096, output: 2_048 }, source: "server", windowSetting },
    script: () => says("Never."),
  });
  await world.prompt("p1", { text: "Hello" });
  const { ended, text } = await world.outcome("p1");
  assert.equal(ended, "failed: contextTooLong");
  assert.match(text ?? "", /^The context window of local\/qwen3 has 4,096 tokens\./);
  assert.match(
    text ?? "",
    /need about \d,\d{3}\. Start Ollama with .*OLLAMA_CONTEXT_LENGTH=32768\./,
  );
  assert.equal(world.server.calls.length, 0);
  assert.equal((await world.holdfast().store.lane("main"))?.holds.length, 1);
});

test("L4 a model that cannot call tools is refused before a request", async (t) => {
  const world = await openWorld(t, {
    model: "talker",
    facts: { tools: false },
    script: () => says("Never."),
  });
  await world.prompt("p1", { text: "Hello" });
  const { ended, text } = await world.outcome("p1");
  assert.equal(ended, "failed: modelGone");
  assert.match(text ?? "", /^The model local\/talker cannot call tools/);
  assert.equal(world.server.calls.length, 0);
});
