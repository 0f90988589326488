import assert from "node:assert/strict";
import { test } from "node:test";
import { createStoreClock } from "./support/store-clock.ts";
import { openSqlitePlace } from "./support/place.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import { call, repeatable } from "./support/puppets.ts";
import { away } from "./support/tampered-store.ts";
import type { TamperedStore } from "./support/tampered-store.ts";

// Which process owns a run, which one wrongly believes so, and which one gets it next.

test("L5 R1 an owner that cannot renew stops by its own clock before its lease ends, and another continues", async (t) => {
  // The owner stops a second before the end of its lease, so this machine may pause for a second.
  const place = await openSqlitePlace(t, { leaseTtl: 4_000, renewEvery: 1_000 });
  const { store } = place.first;
  const run = await place.openStep("a");
  await run.answer("working", [call("one"), repeatable("two")]);
  await run.startTool("one");
  const other = await place.open({ leaseTtl: 20_000 });
  const { expiresAt } = await lastRenewal(store);
  const atStop = run.stopped.then(() => store.now());
  const resume = store.hang(["renew", "join", "leave"]);
  assert.ok((await atStop) < expiresAt, "its lease had not ended yet");
  const taken = await place.puppets.next();
  assert.deepEqual(
    [taken.agent, taken.context.runId, taken.context.attempt],
    [other.name, run.context.runId, 2],
  );
  assert.deepEqual(taken.context.openCalls, [{ ...repeatable("two"), gate: "open" }]);
  const conversation = await taken.context.conversation();
  assert.deepEqual(
    conversation.map((message) => (message.role === "tool" ? message.status : message.role)),
    ["user", "assistant", "inDoubt"],
  );
  await assert.rejects(run.endTool("one"));
  await assert.rejects(run.boundary(), { name: "RunLost" });
  await assert.rejects(run.context.child({ sessionId: "child", promptId: "job", text: "go" }), {
    name: "RunLost",
  });
  resume();
  await taken.endTool("two");
  await taken.finish();
  assert.equal(await place.outcome("a"), "completed");
  await (await place.openRun("b")).finish();
  assert.equal(await place.outcome("b"), "completed");
});

test("L5 a runner that lost its lease takes a new one and continues its own runs", async (t) => {
  const place = await openSqlitePlace(t, { leaseTtl: 1_500, renewEvery: 100 });
  const { store } = place.first;
  const run = await place.openRun("a");
  const resume = store.hang(["renew"]);
  await run.stopped;
  resume();
  const again = await place.puppets.next();
  assert.deepEqual([again.context.runId, again.context.attempt], [run.context.runId, 2]);
  await again.finish();
  assert.equal(await place.outcome("a"), "completed");
});

test("L5 M9 a runner that is closed while it has lost its lease leaves no lease alive", async (t) => {
  const clock = createStoreClock();
  const place = await openSqlitePlace(t, { storeClock: clock, leaseTtl: 1_500, renewEvery: 100 });
  const run = await place.openRun("a");
  const resume = place.first.store.hang(["renew"]);
  // The lease ends by the clock of the process. In the store, whose clock stands still, it is still valid.
  await run.stopped;
  const closing = place.first.close();
  resume();
  await closing;
  await place.open();
  const again = await place.puppets.next();
  assert.equal(again.context.attempt, 2);
  await again.finish();
  assert.equal(await place.outcome("a"), "completed");
});

test("L5 a lease whose request was not answered is ended before another one begins", async (t) => {
  const clock = createStoreClock();
  const place = await openSqlitePlace(t, { storeClock: clock, leaseTtl: 1_500, renewEvery: 100 });
  const { store } = place.first;
  const join = store.join.bind(store);
  let lost = 0;
  store.join = async (lease) => {
    const held = await join(lease);
    if (lost > 0) return held;
    lost += 1;
    throw away();
  };
  const run = await place.openRun("a");
  const resume = store.hang(["renew"]);
  await run.stopped;
  resume();
  await (await place.puppets.next()).finish();
  assert.equal(await place.outcome("a"), "completed");
  assert.deepEqual([lost, place.first.errors.splice(0).length], [1, 1]);
});

test("L5 C5 a clock that jumps an hour ahead only ends leases", async (t) => {
  const clock = createStoreClock();
  const place = await openSqlitePlace(t, { storeClock: clock });
  const run = await place.openStep("a");
  await place.prompt("b");
  clock.move(3_600_000);
  await run.stopped;
  const again = await place.puppets.next();
  assert.deepEqual([again.context.runId, again.context.attempt], [run.context.runId, 2]);
  await again.finish();
  await (await place.puppets.next()).finish();
  assert.deepEqual(await place.outcomes(["a", "b"]), ["completed", "completed"]);
});

test("L5 T2 a clock that is set back does not set events or leases back", async (t) => {
  const clock = createStoreClock();
  const place = await openSqlitePlace(t, { storeClock: clock, stopGrace: 1_000 });
  const run = await place.openStep("a");
  clock.move(-3_600_000);
  await run.answer("still here");
  run.end();
  assert.equal(await place.outcome("a"), "completed");
  await (await place.openRun("b")).finish();
  assert.equal(await place.outcome("b"), "completed");
  const events = await place.first.store.events("main", { after: null, limit: 100 });
  const times = events.map(({ at }) => at);
  assert.deepEqual(
    times,
    times.toSorted((left, right) => left - right),
  );
});

sqliteTest(
  "M9 R3 a drain hands its runs over, counts no attempt, and another runtime continues",
  async (place) => {
    const run = await place.openStep("a");
    await run.answer("working", [repeatable("one")]);
    await place.prompt("b");
    const other = await place.open();
    const closed = place.first.close();
    await run.stopped;
    run.end();
    await closed;
    const taken = await place.puppets.next();
    assert.deepEqual(
      [taken.agent, taken.context.runId, taken.context.openCalls],
      [other.name, run.context.runId, [{ ...repeatable("one"), gate: "open" }]],
    );
    const state = await other.store.lane("main");
    const tries = state?.active?.kind === "run" ? state.active.tries : null;
    assert.deepEqual(tries, { total: 1, sinceStep: 1 });
    await taken.endTool("one");
    await taken.finish();
    await (await place.puppets.next()).finish();
    assert.deepEqual(await place.outcomes(["a", "b"]), ["completed", "completed"]);
  },
);

sqliteTest("M9 a drain lets a run continue until its deadline", async (place) => {
  const run = await place.openStep("a");
  const other = await place.open({ maxRuns: 0 });
  const closed = place.first.close(20_000);
  await run.answer("done in time");
  assert.equal(run.context.signal.aborted, false);
  run.end();
  await closed;
  const row = await other.holdfast.wait({ sessionId: "main", promptId: "a" });
  assert.equal(row?.outcome?.status, "completed");
});

sqliteTest(
  "M9 a drain does not wait for an agent that ignores the stop, and starts no new run",
  async (place) => {
    await place.openStep("a");
    const other = await place.open({ maxRuns: 0 });
    const closed = place.first.close();
    await other.holdfast.createSession({ sessionId: "second", directory: "/project" });
    await other.holdfast.prompt({ sessionId: "second", promptId: "b", text: "later" });
    await closed;
    const { lanes } = await other.store.pending({ limit: 10 });
    assert.deepEqual(lanes.map(({ sessionId, wants }) => `${sessionId} ${wants}`).toSorted(), [
      "main takeOver",
      "second start",
    ]);
    await place.open();
    await (await place.puppets.next()).finish();
    await (await place.puppets.next("second")).finish();
    assert.deepEqual(
      [await place.outcome("a"), await place.outcome("b", "second")],
      ["completed", "completed"],
    );
  },
);

sqliteTest(
  "R1 recovery hold: an interrupted run waits for a person, and its queue waits too",
  async (place) => {
    const run = await place.openStep("a");
    await place.prompt("b");
    await place.first.crash();
    const second = await place.open({ recovery: "hold" });
    const held = await place.event((event) => event.type === "hold.placed");
    const holdId = held.type === "hold.placed" ? held.hold.holdId : "";
    assert.deepEqual(place.puppets.begun, ["a"]);
    const actor = { kind: "client", id: "person" } as const;
    const target = { kind: "hold", holdId } as const;
    await second.store.execute({
      command: { type: "hold.release", sessionId: "main", target, actor },
    });
    const resumed = await place.puppets.next();
    assert.equal(resumed.context.runId, run.context.runId);
    await resumed.finish();
    await (await place.puppets.next()).finish();
    assert.deepEqual(await place.outcomes(["a", "b"]), ["completed", "completed"]);
  },
);

sqliteTest(
  "R1 recovery settle: an interrupted run ends failed, and its queue continues",
  async (place) => {
    await place.prompt("a");
    await (await place.puppets.next()).boundary();
    await place.prompt("b");
    await place.first.crash();
    await place.open({ recovery: "settle" });
    await (await place.puppets.next()).finish();
    assert.deepEqual(await place.outcomes(["a", "b"]), ["failed: interrupted", "completed"]);
  },
);

sqliteTest("C5 R1 a takeover settles a stopping run and never resumes it", async (place) => {
  await place.openStep("a");
  await place.first.holdfast.cancel({ sessionId: "main" });
  await place.first.crash();
  await place.open();
  assert.equal(await place.outcome("a"), "cancelled: sessionCancel");
  assert.deepEqual(place.puppets.begun, ["a"]);
});

test("R1 a run that was interrupted more than an hour ago waits for a person", async (t) => {
  const clock = createStoreClock();
  const place = await openSqlitePlace(t, { storeClock: clock });
  await place.prompt("a");
  await (await place.puppets.next()).boundary();
  await place.first.crash();
  clock.move(3_600_001);
  const second = await place.open();
  await place.event((event) => event.type === "hold.placed");
  assert.deepEqual(place.puppets.begun, ["a"]);
  await second.holdfast.cancel({ sessionId: "main" });
  assert.equal(await place.outcome("a"), "cancelled: sessionCancel");
});

/** Waits for the next renewal of a runtime's lease. No later request can have extended the lease further. */
async function lastRenewal(store: TamperedStore): Promise<{ expiresAt: number }> {
  const renew = store.renew.bind(store);
  const { promise, resolve } = Promise.withResolvers<{ expiresAt: number }>();
  store.renew = async (nodeId) => {
    const renewal = await renew(nodeId);
    if (renewal.status === "renewed") resolve(renewal);
    return renewal;
  };
  return promise;
}
