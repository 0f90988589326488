import assert from "node:assert/strict";
import { before, test } from "node:test";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Part, Reply } from "../../../../../gauntlet/model-server/script.ts";
import { openWorld } from "./world.ts";
import type { World } from "./world.ts";

const protocols = ["openaiChat", "openaiResponses", "anthropic", "google"] as const;

// Load this now: the first call of a model would load it, and the time would count as a stall here.
before(() =>
  Promise.all([
    import("@ai-sdk/openai-compatible"),
    import("@ai-sdk/openai"),
    import("@ai-sdk/anthropic"),
    import("@ai-sdk/google"),
  ]),
);

for (const protocol of protocols) {
  test(`broken JSON, an early end and silence over ${protocol} repeat the step`, async (t) => {
    const world = await openWorld(t, {
      protocol,
      script: inOrder(
        { parts: [{ text: "silence" }, { wait: new Promise(() => {}) }] },
        { parts: [{ text: "a" }, { raw: 'data: {"broken": "safety rate limit\n\n' }] },
        { parts: [{ text: "b" }, { cut: true }] },
        { parts: [{ text: "c" }, { raw: "data: 17\n\n" }, { wait: new Promise(() => {}) }] },
        // If this machine pauses, a later try stalls too.
        ...Array.from({ length: 5 }, () => says("Mended.")),
      ),
      agent: { maxTries: 10, stallAfter: 1_000 },
    });
    await world.prompt("p1");
    assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Mended." });
    assert.ok(world.server.calls.length >= 5, `${world.server.calls.length} calls`);
    const types = (await world.log()).map(({ type }) => type);
    assert.equal(types.filter((type) => type === "step.answered").length, 1);
  });
}

test("an answer whose stream ends early is requested again", async (t) => {
  const done = says("Whole.");
  let calls = 0;
  const world = await openWorld(t, {
    protocol: "anthropic",
    script: (): Reply => {
      calls += 1;
      return calls === 1 ? { parts: [{ text: "Half" }, { quit: true }] } : done;
    },
  });
  await world.prompt("p1");
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Whole." });
});

test("an endless answer is cut off by its length or its time, and requested again", async (t) => {
  const facts = { limits: { context: 100_000, output: 1_000 }, price: null };
  // The long answer has no time limit here, because its speed depends on the machine.
  const cases = [
    { parts: endless("word ".repeat(50)), agent: {}, problem: /longer than 16000 characters/ },
    { parts: endless("", 20), agent: { endAfter: 2_000 }, problem: /did not end within 2 s/ },
  ];
  for (const { parts, agent, problem } of cases) {
    const world = await openWorld(t, { facts, agent, script: inOrder({ parts }, says("whole")) });
    await world.prompt("p1");
    await world.prompt("p2");
    const { ended, text } = await world.outcome("p1");
    assert.equal(ended, "failed: providerError");
    assert.match(text ?? "", problem);
    assert.equal((await world.outcome("p2")).text, "whole");
  }
});

test("T1 calls with bad arguments and unknown tools get a result that explains the error to the model", async (t) => {
  for (const protocol of ["openaiChat", "openaiResponses", "anthropic"] as const) {
    const world = await openWorld(t, {
      protocol,
      script: inOrder(
        asks(
          { name: "read", input: '{"path": "a.t', id: "a" },
          { name: "read", input: { path: 7 }, id: "b" },
          { name: "read", input: "[1]", id: "c" },
          { name: "fly", input: { to: "the moon" }, id: "d" },
        ),
        says("I see."),
      ),
    });
    await world.prompt("p1");
    assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "I see." });
    const [broken = "", wrong = "", list = "", unknown = ""] = results(world, 1);
    assert.match(broken, /arguments of read are not valid/);
    assert.match(wrong, /expected string/);
    assert.match(list, /expected object/);
    assert.match(unknown, /There is no tool fly. Available tools: read, write/);
  }
});

test("T1 call ids that a provider uses twice stay distinct, within an answer and across answers", async (t) => {
  for (const protocol of ["openaiChat", "openaiResponses", "anthropic"] as const) {
    const world = await openWorld(t, {
      protocol,
      files: { "a.txt": "one\n", "b.txt": "two\n" },
      script: inOrder(
        asks(
          { name: "read", input: { path: "a.txt" }, id: "same" },
          { name: "read", input: { path: "b.txt" }, id: "same" },
        ),
        asks({ name: "read", input: { path: "b.txt" }, id: "same" }),
        says("Both."),
      ),
    });
    await world.prompt("p1");
    assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Both." });
    const [one = "", two = "", three = ""] = results(world, 2);
    assert.match(one, /one/);
    assert.match(two, /two/);
    assert.match(three, /two/);
  }
});

test("an empty answer is requested again, and then the outcome reports it", async (t) => {
  const empty: Reply = { parts: [{ reasoning: "hm" }] };
  const world = await openWorld(t, {
    script: inOrder(empty, says("p1"), empty, empty, empty, says("p3")),
  });
  await world.prompt("p1");
  assert.equal((await world.outcome("p1")).text, "p1");
  await world.prompt("p2");
  const { ended, text } = await world.outcome("p2");
  assert.equal(ended, "failed: providerError");
  assert.match(text ?? "", /the answer is empty \(rephrase the prompt, or choose another model\)/);
  await world.prompt("p3");
  assert.equal((await world.outcome("p3")).text, "p3");
});

test("T1 P5 each of hundreds of calls in one answer has its result; more than a thousand are refused", async (t) => {
  const read = { name: "read", input: { path: "a.txt" } };
  const many = (count: number): Reply =>
    asks(...Array.from({ length: count }, (_, index) => ({ ...read, id: `c${index}` })));
  const world = await openWorld(t, {
    files: { "a.txt": "one\n" },
    script: inOrder(many(300), says("Read."), many(1_001)),
  });
  await world.prompt("p1");
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Read." });
  assert.equal(results(world, 1).length, 300);
  await world.prompt("p2");
  const { ended, text } = await world.outcome("p2");
  assert.equal(ended, "failed: providerError");
  assert.match(text ?? "", /the answer has 1001 calls/);
});

function results(world: World, index: number): string[] {
  const { messages = [] } = world.server.calls[index] ?? {};
  return messages.flatMap((message) => message.results.map(({ text }) => text));
}

async function* endless(text: string, pause = 0): AsyncGenerator<Part> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    yield { text: text === "" ? "." : text };
  }
}
