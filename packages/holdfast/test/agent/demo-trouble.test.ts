import assert from "node:assert/strict";
import { test } from "node:test";
import { openDemo } from "./demo-world.ts";

test("L4 `fail` always fails the run, `fail once` only the first time in a session", async (t) => {
  const demo = await openDemo(t);
  const failure = "[demo agent] I was told to fail (agentError).";
  assert.deepEqual(
    [
      await demo.prompt("fail once; say passed"),
      await demo.prompt("fail once; say passed"),
      await demo.prompt("say a; fail"),
      await demo.prompt("fail providerError"),
    ],
    [
      `failed agentError: ${failure}`,
      "completed: [demo agent] passed",
      `failed agentError: ${failure}`,
      "failed providerError: [demo agent] I was told to fail (providerError).",
    ],
  );
});

test("L4 a bad key holds the session until its retry time or the next prompt", async (t) => {
  const demo = await openDemo(t);
  const holds = async (): Promise<unknown> =>
    (await demo.holdfast.store.lane(demo.sessionId))?.holds.map(({ kind }) => kind);
  assert.match(await demo.prompt("fail badKey"), /^failed badKey/);
  assert.deepEqual(await holds(), ["failure"]);
  assert.equal(await demo.prompt("say again"), "completed: [demo agent] again");
  const failing = await demo.send("fail noQuota for 20ms");
  const waiting = await demo.send("say later");
  assert.match(await demo.outcome(failing), /^failed noQuota/);
  assert.equal(await demo.outcome(waiting), "completed: [demo agent] later");
  assert.deepEqual(await holds(), []);
});

test("C5 a cancel quickly ends a stalled and a slow answer, and keeps the partial text", async (t) => {
  const demo = await openDemo(t);
  const { holdfast, sessionId } = demo;
  const stalled = await demo.send("stall");
  await demo.event("step.opened");
  await holdfast.cancel({ sessionId });
  assert.equal(
    await demo.outcome(stalled),
    "cancelled sessionCancel: [demo agent] I stalled until I was stopped.",
  );
  const heard = Promise.withResolvers<void>();
  const stop = holdfast.deltas(sessionId, () => heard.resolve());
  const slow = await demo.send("words 1000 every 20ms");
  await heard.promise;
  stop();
  await holdfast.cancel({ sessionId });
  assert.match(await demo.outcome(slow), /^cancelled sessionCancel: \[demo agent\] word-1/);
  const answers = (await demo.log()).filter((event) => event.type === "step.answered");
  assert.deepEqual(
    answers.map(({ interrupted }) => interrupted),
    [true, true],
  );
});

test("R1 R2 `crash run` abandons its own run only, and the next attempt resumes it after the stored steps", async (t) => {
  const demo = await openDemo(t);
  const crashed = await demo.send("append a.txt one; crash run for 1ms; append a.txt two");
  const queued = await demo.send("append a.txt three");
  assert.match(await demo.outcome(crashed), /^completed/);
  assert.match(await demo.outcome(queued), /^completed/);
  assert.deepEqual(demo.lines("a.txt"), ["one", "two", "three"]);
  const log = await demo.log();
  const story = log.flatMap((event) => {
    if (event.type === "run.resumed") return [`${event.type} ${event.attempt}`];
    return /^run\.(started|handedOver|ended)$/.test(event.type) ? [event.type] : [];
  });
  assert.deepEqual(story, [
    "run.started",
    "run.handedOver",
    "run.resumed 2",
    "run.ended",
    "run.started",
    "run.ended",
  ]);
});

test("C5 a cancel ends a run whose worker is gone", async (t) => {
  const demo = await openDemo(t);
  const { holdfast, sessionId } = demo;
  const crashed = await demo.send("crash run for 3600s; say never");
  await demo.event("step.answered");
  await holdfast.cancel({ sessionId });
  assert.match(await demo.outcome(crashed), /^cancelled sessionCancel/);
});

test("C5 an agent that ignores the stop signal is stopped, and writes nothing afterwards", async (t) => {
  const demo = await openDemo(t, { stopGrace: 20, pollEvery: 20 });
  const { holdfast, sessionId } = demo;
  const stubborn = await demo.send("stubborn; append a.txt zombie");
  await demo.event("step.opened");
  await holdfast.cancel({ sessionId });
  assert.equal(await demo.outcome(stubborn), "cancelled sessionCancel");
  assert.equal(
    await demo.prompt("stubborn 1ms"),
    "completed: [demo agent] I did not listen to any signal.",
  );
  assert.deepEqual(demo.lines("a.txt"), []);
});

test("C7 a cancel reaches a child that stalls, and the parent settles after it", async (t) => {
  const demo = await openDemo(t);
  const { holdfast, sessionId } = demo;
  const parent = await demo.send("child { stall }");
  const { childSessionId } = await demo.event("child.linked");
  await demo.event("step.opened", childSessionId);
  await holdfast.cancel({ sessionId });
  assert.match(await demo.outcome(parent), /^cancelled sessionCancel/);
  const child = (await demo.log(childSessionId)).findLast(({ type }) => type === "prompt.settled");
  const end = (await demo.log()).findLast(({ type }) => type === "prompt.settled");
  assert.ok(child !== undefined && end !== undefined && child.at <= end.at);
});

test("T3 a flood of deltas blocks neither its run nor other readers", async (t) => {
  const demo = await openDemo(t);
  const { holdfast, folder } = demo;
  let heard = 0;
  holdfast.deltas(demo.sessionId, () => {
    heard += 1;
  });
  await holdfast.createSession({ sessionId: "beside", directory: folder });
  const flood = await demo.send("flood 20000");
  await holdfast.prompt({ sessionId: "beside", promptId: "p", text: "say I am served" });
  const row = await holdfast.wait({ sessionId: "beside", promptId: "p" });
  assert.equal(row?.outcome?.status, "completed");
  assert.equal(await demo.outcome(flood), "completed: [demo agent] I sent 20000 deltas.");
  assert.ok(heard < 2_000, `${heard} deltas were passed on one by one`);
});
