import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlitePlace } from "./support/place.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import { call, repeatable } from "./support/puppets.ts";

// A process that stops while its runs wait for something else.

sqliteTest("M9 R4 a run that asks is handed over with its ask open", async (place) => {
  const run = await place.openStep("a");
  await run.answer("may I?", [call("one")]);
  const ask = { askId: "ask1", callId: "one", question: "write?" };
  const asked = run.context.ask(ask);
  const stopped = assert.rejects(asked, { name: "RunStopping" });
  await place.event((event) => event.type === "ask.opened");
  const second = await place.open();
  const closed = place.first.close();
  await stopped;
  run.end();
  await closed;
  const resumed = await place.puppets.next();
  assert.equal(resumed.agent, second.name);
  const again = resumed.context.ask(ask);
  await second.holdfast.answer({ sessionId: "main", askId: "ask1", verdict: "allow" });
  assert.equal((await again).verdict, "allow");
  await resumed.startTool("one");
  await resumed.endTool("one");
  await resumed.finish();
  assert.equal(await place.outcome("a"), "completed");
});

sqliteTest(
  "M9 R4 a run that only waits for people is handed over at once, not at the deadline",
  async (place) => {
    const run = await place.openStep("a");
    await run.answer("may I?", [call("one"), repeatable("two")]);
    const { holdfast } = place.first;
    await holdfast.createSession({ sessionId: "other", directory: "/project" });
    await holdfast.prompt({ sessionId: "other", promptId: "o", text: "go" });
    const other = await place.puppets.next("other");
    await other.boundary();
    const asked = run.context.ask({ askId: "ask1", callId: "one", question: "write?" });
    const stopped = assert.rejects(asked, { name: "RunStopping" });
    await place.event((event) => event.type === "ask.opened");
    // A tool call that may still be active keeps its time, like any other.
    const drained = holdfast.drain({ deadline: 3_600_000 });
    await run.endTool("two");
    await stopped;
    run.end();
    assert.equal(other.context.signal.aborted, false);
    await other.finish();
    await drained;
    assert.equal(await place.outcome("o", "other"), "completed");
    const types = await place.types();
    assert.equal(types.at(-1), "run.handedOver");
    await place.open();
    const resumed = await place.puppets.next();
    assert.equal(resumed.context.openCalls[0]?.gate, "asking");
  },
);

sqliteTest(
  "M9 C7 a run that waits for its child is handed over, and so is the child",
  async (place) => {
    const run = await place.openStep("a");
    await run.answer("help");
    const request = { sessionId: "child", promptId: "job", text: "help" };
    const stopped = assert.rejects(run.context.child(request), { name: "RunStopping" });
    const child = await place.puppets.next("child");
    await child.boundary();
    await place.open();
    const closed = place.first.close();
    await stopped;
    run.end();
    await child.stopped;
    child.end();
    await closed;
    const parent = await place.puppets.next();
    const helped = parent.context.child(request);
    await (await place.puppets.next("child")).finish("found it");
    assert.equal((await helped).text, "found it");
    await parent.finish();
    assert.deepEqual(
      [await place.outcome("a"), await place.outcome("job", "child")],
      ["completed", "completed"],
    );
  },
);

sqliteTest(
  "M9 C5 a cancelled run ends cancelled, and is not handed over, when its process stops",
  async (place) => {
    const run = await place.openStep("a");
    const second = await place.open({ maxRuns: 0 });
    await second.holdfast.cancel({ sessionId: "main" });
    const closed = place.first.close();
    await run.stopped;
    run.end();
    await closed;
    assert.equal(await place.outcome("a"), "cancelled: sessionCancel");
    const types = await place.types();
    assert.ok(!types.includes("run.handedOver"));
  },
);

sqliteTest(
  "M9 a process that stops while a start is in progress hands that run over too",
  async (place) => {
    const { store } = place.first;
    const start = store.holdBack(({ command }) => command.type === "run.start");
    await place.prompt("a");
    await start.arrived;
    const closed = place.first.close();
    start.release();
    place.puppets.dismiss(place.first.name);
    const early = place.puppets.next().then((run) => run.end());
    await closed;
    await early;
    await place.open();
    await (await place.puppets.next()).finish();
    assert.equal(await place.outcome("a"), "completed");
  },
);

test("M9 a process that stops while the store is unavailable does not hang", async (t) => {
  const place = await openSqlitePlace(t, { leaseTtl: 1_500, renewEvery: 100 });
  const { store, errors } = place.first;
  const run = await place.openStep("a");
  const breakdown = store.breakDown(["execute", "renew", "leave", "join", "lane", "pending"]);
  await run.stopped;
  await place.first.crash();
  breakdown.repair();
  errors.length = 0;
  await place.open();
  await (await place.puppets.next()).finish();
  assert.equal(await place.outcome("a"), "completed");
});
