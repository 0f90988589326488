import assert from "node:assert/strict";
import { test } from "node:test";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Reply } from "../../../../../gauntlet/model-server/script.ts";
import { codingTools } from "../../../src/agent/tools/all.ts";
import type { Sample, SampleRequest } from "../../../src/agent/tools/tool.ts";
import { waitFor } from "../../support/wait-for.ts";
import { ownTool } from "./own-tool.ts";
import { openWorld } from "./world.ts";
import type { World } from "./world.ts";

const usage = { input: 1_000, cached: 0, output: 100 };
/** An answer that the provider charges, although it contains nothing. */
const empty: Reply = { parts: [], finish: "length", usage };

test("the next try of a step is charged for tries whose answer could not be used (P6)", async (t) => {
  const world = await openWorld(t, {
    script: inOrder(empty, empty, { ...says("Here."), usage }, { ...says("p2"), usage }),
  });
  await world.prompt("p1");
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Here." });
  assert.deepEqual(await charged(world), [3_300]);
  await world.prompt("p2");
  assert.equal((await world.outcome("p2")).ended, "completed");
  assert.deepEqual(await charged(world), [3_300, 1_100]);
});

test("a step that fails for good is charged, and the model never sees the charge (P6)", async (t) => {
  const world = await openWorld(t, {
    script: inOrder(empty, empty, empty, { ...says("p2"), usage }),
  });
  await world.prompt("p1");
  assert.equal((await world.outcome("p1")).ended, "failed: providerError");
  assert.deepEqual(await charged(world), [3_300]);
  await world.prompt("p2");
  assert.deepEqual(await world.outcome("p2"), { ended: "completed", text: "p2" });
  assert.deepEqual(
    world.server.calls[3]?.messages.map(({ role }) => role),
    ["user", "user"],
  );
});

test("an answer that a content filter blocked is charged (P6)", async (t) => {
  const blocked: Reply = { parts: [{ text: "I" }], finish: "filter", usage };
  const world = await openWorld(t, { script: inOrder(blocked) });
  await world.prompt("p1");
  assert.equal((await world.outcome("p1")).ended, "failed: contentFilter");
  assert.deepEqual(await charged(world), [1_100]);
});

test("a session's budget that unusable answers have spent fails the next prompt (P6)", async (t) => {
  const world = await openWorld(t, { script: inOrder(empty, empty, empty, says("Never.")) });
  const { directory } = world;
  const sessionId = "small";
  await world
    .holdfast()
    .createSession({ sessionId, directory, budget: { tokens: 2_000, cost: null } });
  await world.prompt("p1", { sessionId });
  assert.equal((await world.outcome("p1", sessionId)).ended, "failed: providerError");
  await world.prompt("p2", { sessionId });
  assert.equal((await world.outcome("p2", sessionId)).ended, "failed: budget");
  assert.equal(world.server.calls.length, 3);
});

for (const end of ["cancel", "restart"] as const) {
  test(`an unusable answer before a ${end} is charged once (P6)`, async (t) => {
    const world = await openWorld(t, {
      script: inOrder(empty, { ...says("Here."), usage }),
      agent: { retryAfter: 50_000 },
      settings: { stopGrace: 3_600_000 },
    });
    await world.prompt("p1");
    await waitFor(() => world.deltas, {
      describe: "a restart",
      until: (deltas) => deltas.some(({ kind }) => kind === "restart"),
    });
    if (end === "cancel") await world.holdfast().cancel({ sessionId: "main" });
    else await world.restart();
    const { ended } = await world.outcome("p1");
    assert.equal(ended, end === "cancel" ? "cancelled: sessionCancel" : "completed");
    assert.deepEqual(await charged(world), end === "cancel" ? [1_100] : [1_100, 1_100]);
  });
}

test("a model call of a tool is charged even if the next step fails (P6)", async (t) => {
  const request: SampleRequest = {
    system: "",
    messages: [{ role: "user", text: "A word?" }],
    maxOutput: 100,
    permission: { action: "mcp", subject: "own/sampling:", preview: "" },
  };
  const samples: Sample[] = [];
  const tool = ownTool("ponder", async (_, context) => {
    assert(context.sample !== undefined);
    samples.push(await context.sample(request));
    return { status: "completed", output: "done" };
  });
  const world = await openWorld(t, {
    script: inOrder(
      { ...asks({ name: "ponder", input: {} }), usage },
      { ...says("Word."), usage },
      { status: 401, message: "Incorrect API key provided" },
    ),
    setup: {
      tools: [...codingTools(), tool],
      rules: [{ action: "mcp", pattern: "own/sampling:", effect: "allow" }],
    },
  });
  await world.prompt("p1");
  assert.equal((await world.outcome("p1")).ended, "failed: badKey");
  assert.deepEqual(
    samples.map(({ text }) => text),
    ["Word."],
  );
  assert.deepEqual(await charged(world), [1_100, 1_100]);
});

/** Returns the tokens of each answer in the log, in order. */
async function charged(world: World): Promise<readonly number[]> {
  const answers = (await world.log()).filter((event) => event.type === "step.answered");
  const tokens = answers.map((event) => event.usage.inputTokens + event.usage.outputTokens);
  const total = (await world.holdfast().store.lane("main"))?.usage;
  assert.equal(
    (total?.inputTokens ?? 0) + (total?.outputTokens ?? 0),
    tokens.reduce((sum, each) => sum + each, 0),
  );
  return tokens;
}
