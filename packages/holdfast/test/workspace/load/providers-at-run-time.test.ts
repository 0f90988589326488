import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall, Reply } from "../../../../../gauntlet/model-server/script.ts";
import { openHouse } from "./house.ts";
import type { House } from "./house.ts";

const oldKey = "sk-old-0123456789abcdef";
const otherKey = "sk-other-0123456789abcdef";

test("M1 connecting a provider during a run: that goes on as the demo agent, the next run has the model", async (t) => {
  const house = await openHouse(t, { script: () => says("From the model.") });
  await house.send("before", { text: "ask how; say done" });
  const runId = await house.runOf("before");
  const answer = await connect(house, "local", oldKey);
  const { directory } = house;
  const { actionId } = answer;
  assert.deepEqual(answer, {
    status: "deferred",
    actionId,
    affectedDirectories: [directory],
    waitingFor: [{ directory, sessionId: "before", runId }],
    problems: [],
  });
  await house.send("after", { text: "Hello" });
  assert.deepEqual(await house.ended("after"), { ended: "completed", text: "From the model." });
  const completed = house.nextEnd("provider");
  await answerAsk(house, "before");
  assert.equal((await house.ended("before")).text, "[demo agent] done");
  assert.equal((await completed).actionId, actionId);
  assert.deepEqual(keysOf(house.server.calls), [oldKey]);
});

test("M1 disconnecting a provider during a run: the run goes on with what it has pinned, the next one is without", async (t) => {
  const gate = Promise.withResolvers<void>();
  const house = await openHouse(t, {
    script: (call) => waitsOnce(call, gate.promise),
  });
  await connect(house, "local", oldKey);
  await house.send("before", { text: "Work" });
  await called(house, 1);
  assert.equal(await house.setup.providers.disconnect("local"), true);
  const answer = await house.refreshed({});
  assert.deepEqual(
    [answer.status, answer.waitingFor.map(({ sessionId }) => sessionId)],
    ["deferred", ["before"]],
  );
  await house.send("after", { text: "say hello" });
  assert.deepEqual(await house.ended("after"), { ended: "completed", text: "[demo agent] hello" });
  const completed = house.nextEnd("provider");
  gate.resolve();
  assert.deepEqual(await house.ended("before"), { ended: "completed", text: "Done." });
  // Its next request came after the disconnect, with the key that it had begun with.
  assert.deepEqual(keysOf(house.server.calls), [oldKey, oldKey]);
  assert.equal((await completed).status, "completed");
});

test("M5 a forced disconnect cancels the runs that use the provider, and no request carries its key any more", async (t) => {
  const gate = Promise.withResolvers<void>();
  const house = await openHouse(t, { script: (call) => waitsOnce(call, gate.promise) });
  await connect(house, "local", oldKey);
  await connect(house, "other", otherKey);
  await house.send("cut", { text: "Work", model: "local/test" });
  await house.send("spared", { text: "Work", model: "other/test" });
  await called(house, 2);
  const before = house.server.calls.length;
  // Queued behind the run that is cut off: it survives, and tries on what is there then.
  await house.runtime.prompt({ sessionId: "cut", promptId: "next", text: "Go on" });
  await house.setup.providers.disconnect("local");
  const answer = await house.refreshed({ mode: "force", revoke: ["local"] });
  assert.deepEqual(await house.ended("cut"), { ended: "cancelled: force", text: null });
  gate.resolve();
  assert.deepEqual(await house.ended("spared"), { ended: "completed", text: "Done." });
  const next = await house.runtime.wait({ sessionId: "cut", promptId: "next" });
  assert.equal(next?.outcome?.status, "completed");
  assert.notEqual(answer.status, "failed");
  const since = keysOf(house.server.calls.slice(before));
  assert.deepEqual(
    since.filter((key) => key === oldKey),
    [],
  );
  assert.ok(since.every((key) => key === otherKey) && since.length >= 2);
});

test("M3 a provider that was disconnected on another node is not used on this one, though it has a key", async (t) => {
  const house = await openHouse(t, {
    connected: true,
    environment: { HOLDFAST_MODEL: "local/test" },
    script: () => says("From the model."),
  });
  const { store } = house.runtime;
  await house.send("before", { text: "Hello" });
  assert.equal((await house.ended("before")).text, "From the model.");
  // As the other node leaves it: nothing of it is in a file here.
  const value = { at: Date.now() };
  await store.putRecord({ kind: "providerDisconnected", id: "local", value, version: null });
  await house.refreshed({});
  await house.send("after", { text: "Hello" });
  assert.equal((await house.ended("after")).ended, "failed: modelGone");
  assert.equal((await house.setup.providers.list(null)).items[0]?.status, "disconnected");
  assert.equal(await house.setup.providers.connect("local", {}), null);
  await house.refreshed({});
  assert.deepEqual(await store.records("providerDisconnected", { after: null, limit: 10 }), []);
  await house.send("again", { text: "Hello" });
  assert.equal((await house.ended("again")).text, "From the model.");
});

test("a connected key is hidden from the first moment on, and kept in a file for its owner alone", async (t) => {
  const house = await openHouse(t, { script: () => says(`The key is ${oldKey}.`) });
  await connect(house, "local", oldKey);
  await house.send("tells", { text: `Is it ${oldKey}?` });
  assert.equal((await house.ended("tells")).text, "The key is [secret].");
  const [call] = house.server.calls;
  assert.equal(call?.messages.at(-1)?.text, "Is it [secret]?");
});

async function connect(house: House, name: string, key: string): ReturnType<House["refreshed"]> {
  const problem = await house.setup.providers.connect(name, {
    key,
    baseUrl: house.server.addresses.openaiChat,
    defaultModel: "test",
  });
  assert.equal(problem, null);
  return house.refreshed({});
}

/** The first call of each session waits in mid-answer, and then asks for a tool; the next ends it. */
async function waitsOnce(call: ModelCall, gate: Promise<void>): Promise<Reply> {
  if (call.messages.some(({ role }) => role === "tool")) return says("Done.");
  const list = { call: { id: "call", name: "list", input: {} } };
  return { parts: [{ wait: gate }, list], finish: "calls" };
}

function keysOf(calls: readonly ModelCall[]): string[] {
  return calls.map(({ headers }) => (headers["authorization"] ?? "").replace("Bearer ", ""));
}

async function called(house: House, times: number): Promise<void> {
  await waitFor(() => house.server.calls.length, {
    describe: `${times} model calls`,
    until: (count) => count >= times,
  });
}

async function answerAsk({ runtime }: House, sessionId: string): Promise<void> {
  for await (const event of runtime.events({ sessionId })) {
    if (event.type !== "ask.opened") continue;
    await runtime.answer({ sessionId, askId: event.askId, verdict: "allow", text: "well" });
    return;
  }
}
