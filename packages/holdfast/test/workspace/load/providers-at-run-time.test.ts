import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall, Reply } from "../../../../../gauntlet/model-server/script.ts";
import { openWorkspaceFixture } from "./workspace-fixture.ts";
import type { WorkspaceFixture } from "./workspace-fixture.ts";

const oldKey = "sk-old-0123456789abcdef";
const otherKey = "sk-other-0123456789abcdef";

test("M1 connecting a provider during a run: the run continues as the demo agent, the next run has the model", async (t) => {
  const fixture = await openWorkspaceFixture(t, { script: () => says("From the model.") });
  await fixture.send("before", { text: "ask how; say done" });
  const runId = await fixture.runOf("before");
  const answer = await connect(fixture, "local", oldKey);
  const { directory } = fixture;
  const { actionId } = answer;
  assert.deepEqual(answer, {
    status: "deferred",
    actionId,
    affectedDirectories: [directory],
    waitingFor: [{ directory, sessionId: "before", runId }],
    problems: [],
  });
  await fixture.send("after", { text: "Hello" });
  assert.deepEqual(await fixture.ended("after"), { ended: "completed", text: "From the model." });
  const completed = fixture.nextEnd("provider");
  await answerAsk(fixture, "before");
  assert.equal((await fixture.ended("before")).text, "[demo agent] done");
  assert.equal((await completed).actionId, actionId);
  assert.deepEqual(keysOf(fixture.server.calls), [oldKey]);
});

test("M1 disconnecting a provider during a run: the run keeps it, the next run does not have it", async (t) => {
  const gate = Promise.withResolvers<void>();
  const fixture = await openWorkspaceFixture(t, {
    script: (call) => waitsOnce(call, gate.promise),
  });
  await connect(fixture, "local", oldKey);
  await fixture.send("before", { text: "Work" });
  await called(fixture, 1);
  assert.equal(await fixture.setup.providers.disconnect("local"), true);
  const answer = await fixture.refreshed({});
  assert.deepEqual(
    [answer.status, answer.waitingFor.map(({ sessionId }) => sessionId)],
    ["deferred", ["before"]],
  );
  await fixture.send("after", { text: "say hello" });
  assert.deepEqual(await fixture.ended("after"), {
    ended: "failed: modelGone",
    text: "No model is connected: the provider local was disconnected. Run: holdfast connect local",
  });
  const completed = fixture.nextEnd("provider");
  gate.resolve();
  assert.deepEqual(await fixture.ended("before"), { ended: "completed", text: "Done." });
  // The run's next request came after the disconnect, and still had the key that the run started with.
  assert.deepEqual(keysOf(fixture.server.calls), [oldKey, oldKey]);
  assert.equal((await completed).status, "completed");
});

test("M5 a forced disconnect cancels the runs that use the provider, and no further request has its key", async (t) => {
  const gate = Promise.withResolvers<void>();
  const fixture = await openWorkspaceFixture(t, {
    script: (call) => waitsOnce(call, gate.promise),
  });
  await connect(fixture, "local", oldKey);
  await connect(fixture, "other", otherKey);
  await fixture.send("cut", { text: "Work", model: "local/test" });
  await fixture.send("spared", { text: "Work", model: "other/test" });
  await called(fixture, 2);
  const before = fixture.server.calls.length;
  // The prompt waits behind the run that is cancelled. It stays in the queue, and runs with the remaining providers.
  await fixture.runtime.prompt({ sessionId: "cut", promptId: "next", text: "Go on" });
  await fixture.setup.providers.disconnect("local");
  const answer = await fixture.refreshed({ mode: "force", revoke: ["local"] });
  assert.deepEqual(await fixture.ended("cut"), { ended: "cancelled: force", text: null });
  gate.resolve();
  assert.deepEqual(await fixture.ended("spared"), { ended: "completed", text: "Done." });
  const next = await fixture.runtime.wait({ sessionId: "cut", promptId: "next" });
  assert.equal(next?.outcome?.status, "completed");
  assert.notEqual(answer.status, "failed");
  const since = keysOf(fixture.server.calls.slice(before));
  assert.deepEqual(
    since.filter((key) => key === oldKey),
    [],
  );
  assert.ok(since.every((key) => key === otherKey) && since.length >= 2);
});

test("L4 M5 without any provider left, waiting prompts wait for the next connect, and the demo agent answers none", async (t) => {
  const gate = Promise.withResolvers<void>();
  const fixture = await openWorkspaceFixture(t, {
    script: (call) => waitsOnce(call, gate.promise),
  });
  await connect(fixture, "local", oldKey);
  await fixture.send("cut", { text: "Work" });
  await called(fixture, 1);
  const { runtime } = fixture;
  const sessionId = "cut";
  for (const promptId of ["first", "second"]) {
    await runtime.prompt({ sessionId, promptId, text: "say hello" });
  }
  await fixture.setup.providers.disconnect("local");
  await fixture.refreshed({ mode: "force", revoke: ["local"] });
  assert.deepEqual(await fixture.ended("cut"), { ended: "cancelled: force", text: null });
  const first = await runtime.wait({ sessionId, promptId: "first" });
  assert.deepEqual([first?.outcome?.status, first?.outcome?.reason], ["failed", "modelGone"]);
  const { queue = [], holds = [] } = (await runtime.store.lane(sessionId)) ?? {};
  assert.deepEqual(
    [
      queue.map((item) => (item.kind === "prompt" ? item.promptId : item.kind)),
      holds.map((hold) => (hold.kind === "failure" ? hold.reason : hold.kind)),
    ],
    [["second"], ["modelGone"]],
  );
  gate.resolve();
  await connect(fixture, "local", otherKey);
  const second = await runtime.wait({ sessionId, promptId: "second" });
  assert.deepEqual(
    [second?.outcome?.status, keysOf(fixture.server.calls).at(-1)],
    ["completed", otherKey],
  );
});

test("M3 a provider that was disconnected on another node is not used here, even with a key", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    connected: true,
    environment: { HOLDFAST_MODEL: "local/test" },
    script: () => says("From the model."),
  });
  const { store } = fixture.runtime;
  await fixture.send("before", { text: "Hello" });
  assert.equal((await fixture.ended("before")).text, "From the model.");
  // Write the record that another node would write. No file on this node contains the disconnect.
  const value = { at: Date.now() };
  await store.putRecord({ kind: "providerDisconnected", id: "local", value, version: null });
  await fixture.refreshed({});
  await fixture.send("after", { text: "Hello" });
  assert.equal((await fixture.ended("after")).ended, "failed: modelGone");
  assert.equal((await fixture.setup.providers.list(null)).items[0]?.status, "disconnected");
  assert.equal(await fixture.setup.providers.connect("local", {}), null);
  await fixture.refreshed({});
  assert.deepEqual(await store.records("providerDisconnected", { after: null, limit: 10 }), []);
  await fixture.send("again", { text: "Hello" });
  assert.equal((await fixture.ended("again")).text, "From the model.");
});

test("a connected key is redacted at once, and stored in a file that only its owner can read", async (t) => {
  const fixture = await openWorkspaceFixture(t, { script: () => says(`The key is ${oldKey}.`) });
  await connect(fixture, "local", oldKey);
  await fixture.send("tells", { text: `Is it ${oldKey}?` });
  assert.equal((await fixture.ended("tells")).text, "The key is [secret].");
  const [call] = fixture.server.calls;
  assert.equal(call?.messages.at(-1)?.text, "Is it [secret]?");
});

async function connect(
  fixture: WorkspaceFixture,
  name: string,
  key: string,
): ReturnType<WorkspaceFixture["refreshed"]> {
  const problem = await fixture.setup.providers.connect(name, {
    key,
    baseUrl: fixture.server.addresses.openaiChat,
    defaultModel: "test",
  });
  assert.equal(problem, null);
  return fixture.refreshed({});
}

/**
 * The first call of each session waits in the middle of its answer and then calls a tool. The second call ends the
 * run.
 */
async function waitsOnce(call: ModelCall, gate: Promise<void>): Promise<Reply> {
  if (call.messages.some(({ role }) => role === "tool")) return says("Done.");
  const list = { call: { id: "call", name: "list", input: {} } };
  return { parts: [{ wait: gate }, list], finish: "calls" };
}

function keysOf(calls: readonly ModelCall[]): string[] {
  return calls.map(({ headers }) => (headers["authorization"] ?? "").replace("Bearer ", ""));
}

async function called(fixture: WorkspaceFixture, times: number): Promise<void> {
  await waitFor(() => fixture.server.calls.length, {
    describe: `${times} model calls`,
    until: (count) => count >= times,
  });
}

async function answerAsk({ runtime }: WorkspaceFixture, sessionId: string): Promise<void> {
  for await (const event of runtime.events({ sessionId })) {
    if (event.type !== "ask.opened") continue;
    await runtime.answer({ sessionId, askId: event.askId, verdict: "allow", text: "well" });
    return;
  }
}
