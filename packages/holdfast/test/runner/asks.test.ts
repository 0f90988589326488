import assert from "node:assert/strict";
import { test } from "node:test";
import { createStoreClock } from "./support/store-clock.ts";
import { openSqlitePlace } from "./support/place.ts";
import type { Place } from "./support/place.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import { call } from "./support/puppets.ts";
import type { Puppet } from "./support/puppets.ts";

// Asks that outlive time and processes.

const ask = { askId: "ask1", callId: "one", question: "write?" };

test("R4 an ask without an answer expires, and its call does not start", async (t) => {
  const clock = createStoreClock();
  const place = await openSqlitePlace(t, { storeClock: clock });
  const run = await place.openStep("a");
  await run.answer("may I?", [call("one")]);
  const asked = run.context.ask({ ...ask, expiresIn: 1_000 });
  await place.event((event) => event.type === "ask.opened");
  clock.move(1_000);
  assert.deepEqual(await asked, { verdict: "expired" });
  await run.say({ type: "toolEnd", callId: "one", status: "denied", output: "nobody said yes" });
  await run.finish();
  assert.equal(await place.outcome("a"), "completed");
});

sqliteTest("R4 R1 an ask answered while no process runs reaches the resumed run", async (place) => {
  const run = await crashWhileAsking(place);
  const second = await place.open({ maxRuns: 0 });
  await second.holdfast.answer({ sessionId: "main", askId: "ask1", verdict: "allow" });
  await place.open();
  const resumed = await place.puppets.next();
  assert.deepEqual(
    [resumed.context.runId, resumed.context.attempt, resumed.context.openCalls],
    [run.context.runId, 2, [{ ...call("one"), gate: "open" }]],
  );
  assert.deepEqual(await resumed.context.ask(ask), {
    verdict: "allow",
    text: null,
    remember: null,
  });
  await resumed.startTool("one");
  await resumed.endTool("one");
  await resumed.finish();
  assert.equal(await place.outcome("a"), "completed");
});

sqliteTest(
  "R4 R1 an ask that is open when its process dies can be answered later under its id",
  async (place) => {
    await crashWhileAsking(place);
    const second = await place.open();
    const resumed = await place.puppets.next();
    assert.deepEqual(resumed.context.openCalls, [{ ...call("one"), gate: "asking" }]);
    const again = resumed.context.ask(ask);
    await second.holdfast.answer({ sessionId: "main", askId: "ask1", verdict: "deny", text: "no" });
    assert.deepEqual(await again, { verdict: "deny", text: "no", remember: null });
    await resumed.say({ type: "toolEnd", callId: "one", status: "denied", output: "no" });
    await resumed.finish();
    const types = await place.types();
    assert.equal(types.filter((type) => type === "ask.opened").length, 1);
    assert.equal(await place.outcome("a"), "completed");
  },
);

/** The process of a run dies while an ask of it is open. */
async function crashWhileAsking(place: Place): Promise<Puppet> {
  const run = await place.openStep("a");
  await run.answer("may I?", [call("one")]);
  const asked = assert.rejects(run.context.ask(ask));
  await place.event((event) => event.type === "ask.opened");
  await place.first.crash();
  await asked;
  return run;
}
