import assert from "node:assert/strict";
import { test } from "node:test";
import { AgentFailure } from "../../src/agent/agent.ts";
import { createStoreClock } from "./support/store-clock.ts";
import { openSqlitePlace } from "./support/place.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import { call } from "./support/puppets.ts";

// Agents that ignore a stop. The test moves the store's time by hand.

test("C5 T1 a run that ignores the stop ends after its grace time, its call is in doubt, and late facts are refused", async (t) => {
  const clock = createStoreClock();
  const place = await openSqlitePlace(t, { storeClock: clock, stopGrace: 5_000 });
  const run = await place.openStep("a");
  await run.answer("working", [call("one")]);
  await run.startTool("one");
  await place.first.holdfast.cancel({ sessionId: "main" });
  await run.stopped;
  clock.move(4_999);
  const early = await place.first.store.pending({ limit: 10 });
  assert.deepEqual(early.lanes, []);
  clock.move(1);
  assert.equal(await place.outcome("a"), "cancelled: sessionCancel");
  const ended = await place.event((event) => event.type === "tool.ended");
  assert.deepEqual(
    ended.type === "tool.ended" ? [ended.callId, ended.status, ended.attempt] : null,
    ["one", "inDoubt", 2],
  );
  await assert.rejects(run.endTool("one"));
  await assert.rejects(run.boundary(), { name: "RunLost" });
  await (await place.openRun("b")).finish();
  assert.equal(await place.outcome("b"), "completed");
});

test("P6 a run past its maxRunTime is stopped and ends failed", async (t) => {
  const clock = createStoreClock();
  const place = await openSqlitePlace(t, { storeClock: clock, stopGrace: 5_000 });
  const run = await place.openStep("a", { maxRunTime: 6_000 });
  clock.move(6_000);
  await run.stopped;
  run.end();
  assert.equal(await place.outcome("a"), "failed: runTime");
});

test("P6 a prompt that still waits at its expiresAt fails without a run", async (t) => {
  const clock = createStoreClock();
  const place = await openSqlitePlace(t, { storeClock: clock });
  const run = await place.openRun("a");
  await place.prompt("b", { expiresAt: clock() + 1_000 });
  clock.move(1_000);
  assert.equal(await place.outcome("b"), "failed: expired");
  await run.finish();
  assert.equal(await place.outcome("a"), "completed");
  assert.deepEqual(place.puppets.begun, ["a"]);
});

sqliteTest("P6 a run over its budget starts no further step", async (place) => {
  const run = await place.openStep("a", { budget: { tokens: 100, cost: null } });
  const usage = { inputTokens: 90, outputTokens: 10, cost: 0 };
  await run.say({ type: "answer", text: "much to say", usage });
  await assert.rejects(run.boundary(), { name: "RunLost" });
  assert.equal(await place.outcome("a"), "failed: budget");
});

test("P6 a session's budget covers its children", async (t) => {
  const place = await openSqlitePlace(t, { session: false });
  const budget = { tokens: 100, cost: null };
  await place.first.holdfast.createSession({ sessionId: "main", directory: "/project", budget });
  const run = await place.openStep("a");
  await run.answer("help me");
  const helped = run.context.child({ sessionId: "child", promptId: "job", text: "help" });
  const child = await place.puppets.next("child");
  await child.boundary();
  const usage = { inputTokens: 100, outputTokens: 0, cost: 0 };
  await child.say({ type: "answer", text: "here you are", usage });
  child.end();
  assert.equal((await helped).text, "here you are");
  await assert.rejects(run.boundary(), { name: "RunLost" });
  assert.equal(await place.outcome("a"), "failed: budget");
});

test("L6 a run at its step limit ends failed", async (t) => {
  const place = await openSqlitePlace(t, { maxSteps: 1 });
  const run = await place.openStep("a");
  await run.answer("one");
  const refused = await run.boundary().catch((error: unknown) => error);
  assert(refused instanceof Error);
  run.fail(refused);
  assert.equal(await place.outcome("a"), "failed: stepLimit");
});

test("L4 a failure with a retry time holds the lane until then", async (t) => {
  const clock = createStoreClock();
  const place = await openSqlitePlace(t, { storeClock: clock });
  const run = await place.openRun("a");
  await place.prompt("b");
  run.fail(new AgentFailure("noQuota", "come back later", { hold: { retryIn: 3_000 } }));
  assert.equal(await place.outcome("a"), "failed: noQuota");
  await place.event((event) => event.type === "hold.placed");
  assert.deepEqual(place.puppets.begun, ["a"]);
  clock.move(3_000);
  await (await place.puppets.next()).finish();
  assert.equal(await place.outcome("b"), "completed");
});
