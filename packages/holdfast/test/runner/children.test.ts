import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlitePlace } from "./support/place.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import type { Puppet } from "./support/puppets.ts";

// Runs that wait for runs of other sessions.

test("C7 one slot is enough for three levels of waiting children", async (t) => {
  const place = await openSqlitePlace(t, { maxRuns: 1, maxRunsPerDirectory: 1 });
  await place.prompt("a");
  const runs: Puppet[] = [await place.puppets.next()];
  const waits: Promise<{ text: string | null }>[] = [];
  for (const sessionId of ["child", "grandchild", "great-grandchild"]) {
    const above = runs.at(-1);
    assert(above !== undefined);
    await above.boundary();
    await above.answer("asking for help");
    waits.push(above.context.child({ sessionId, promptId: "job", text: "help" }));
    runs.push(await place.puppets.next(sessionId));
  }
  for (const run of runs.toReversed()) {
    if (run !== runs.at(-1)) assert.equal((await waits.pop())?.text, "the answer");
    await run.finish();
  }
  assert.equal(await place.outcome("a"), "completed");
});

sqliteTest(
  "C7 a run that would wait for itself through another session is refused",
  async (place) => {
    const parent = await place.openStep("a");
    await parent.answer("asking for help");
    const helped = parent.context.child({ sessionId: "child", promptId: "job", text: "help" });
    const child = await place.puppets.next("child");
    await child.boundary();
    await child.answer("help me first");
    await assert.rejects(
      child.context.child({ sessionId: "main", promptId: "back", text: "no, you" }),
      (error: Error & { refusal?: { code: string } }) => error.refusal?.code === "cycle",
    );
    child.end();
    assert.equal((await helped).outcome.status, "completed");
    await parent.finish();
    assert.deepEqual(
      [await place.outcome("a"), await place.outcome("job", "child")],
      ["completed", "completed"],
    );
  },
);

sqliteTest("C7 a parent decides what a child's failure means", async (place) => {
  const parent = await place.openStep("a");
  await parent.answer("asking for help");
  const helped = parent.context.child({ sessionId: "child", promptId: "job", text: "help" });
  (await place.puppets.next("child")).fail(new Error("I can't"));
  const { outcome, text } = await helped;
  assert.deepEqual([outcome.status, outcome.reason, text], ["failed", "agentError", "I can't"]);
  await parent.finish();
  assert.equal(await place.outcome("a"), "completed");
});

sqliteTest("C7 a cancel names a background child, and covers it only with tree", async (place) => {
  const { holdfast } = place.first;
  const parent = await place.openStep("a");
  await parent.context.background({ sessionId: "child", promptId: "job", text: "look" });
  const child = await place.puppets.next("child");
  const receipt = await holdfast.cancel({ sessionId: "main" });
  assert.deepEqual(receipt.background, [{ sessionId: "child", promptId: "job" }]);
  await parent.stopped;
  parent.end();
  assert.equal(await place.outcome("a"), "cancelled: sessionCancel");
  assert.equal(child.context.signal.aborted, false);
  await holdfast.cancel({
    sessionId: "main",
    scope: { kind: "session", upTo: null, tree: true },
  });
  await child.stopped;
  child.end();
  assert.equal(await place.outcome("job", "child"), "cancelled: parentCancel");
  assert.equal(await holdfast.wait({ sessionId: "main", promptId: "result:job" }), null);
});

sqliteTest(
  "C7 a child prompt cancelled before it arrived is refused by its tombstone",
  async (place) => {
    const parent = await place.openStep("a");
    await parent.answer("asking for help");
    const accept = place.first.store.holdBack(
      ({ command }) => command.type === "prompt.accept" && command.sessionId === "child",
    );
    const helped = parent.context.child({ sessionId: "child", promptId: "job", text: "help" });
    await accept.arrived;
    await place.first.holdfast.cancel({ sessionId: "main" });
    accept.release();
    assert.equal((await helped).outcome.reason, "parentCancel");
    parent.end();
    assert.deepEqual(
      [await place.outcome("a"), await place.outcome("job", "child")],
      ["cancelled: sessionCancel", "cancelled: parentCancel"],
    );
    assert.deepEqual(place.puppets.begun, ["a"]);
  },
);

sqliteTest(
  "R1 C7 an interrupted parent finds the outcome of the child that continued",
  async (place) => {
    const parent = await place.openStep("a");
    await parent.answer("asking for help");
    const request = { sessionId: "child", promptId: "job", text: "help" };
    const helped = assert.rejects(parent.context.child(request));
    await place.puppets.next("child");
    await place.first.crash();
    await helped;
    await place.open();
    const again = await place.puppets.next();
    const answered = again.context.child(request);
    await (await place.puppets.next("child")).finish("found it");
    assert.equal((await answered).text, "found it");
    await again.finish();
    assert.equal(await place.outcome("a"), "completed");
  },
);
