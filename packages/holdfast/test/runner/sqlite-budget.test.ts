import assert from "node:assert/strict";
import { test } from "node:test";
import { createStoreClock } from "./support/store-clock.ts";
import { budgetOfATree } from "./support/budget-of-a-tree.ts";
import { openSqlitePlace } from "./support/place.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import { spender } from "./support/spender.ts";

const many = { agent: spender, maxRuns: 500, maxRunsPerDirectory: 500 };

for (const manner of ["foreground", "background", "mixed"] as const) {
  test(`P6 a tree of 27 ${manner} children exceeds its budget by one step per run at most`, async (t) => {
    await budgetOfATree(await openSqlitePlace(t, many), manner);
  });
}

const usage = { inputTokens: 0, outputTokens: 0, cost: 2 };
const asking = { budget: { tokens: null, cost: 2 }, onBudget: "ask" } as const;

test("P6 R4 a run that waits for its budget lends its slot, and continues after the answer", async (t) => {
  const place = await openSqlitePlace(t, { maxRuns: 1, maxRunsPerDirectory: 1 });
  const run = await place.openStep("a", asking);
  await run.say({ type: "answer", text: "dear", usage });
  const passed = run.boundary();
  const opened = await place.event((event) => event.type === "ask.opened");
  assert(opened.type === "ask.opened");
  const { askId } = opened;
  const { holdfast } = place.first;
  const view = await holdfast.ask({ sessionId: "main", askId });
  assert.equal(view?.question, "2.00 of 2.00 dollars used: raise by 2.00 dollars, or stop?");
  // The only place is free meanwhile.
  await holdfast.createSession({ sessionId: "other", directory: "/project" });
  await holdfast.prompt({ sessionId: "other", promptId: "b", text: "beside" });
  await (await place.puppets.next("other")).finish();
  assert.equal(await place.outcome("b", "other"), "completed");
  await holdfast.answer({ sessionId: "main", askId, verdict: "allow" });
  await passed;
  await run.say({ type: "answer", text: "done", usage });
  run.end();
  assert.equal(await place.outcome("a"), "completed");
});

sqliteTest("P6 R1 the ask is answered from another client after a restart", async (place) => {
  const parent = await place.openStep("a", asking);
  await parent.answer("asking for help");
  const helped = assert.rejects(
    parent.context.child({ sessionId: "child", promptId: "job", text: "help" }),
  );
  const child = await place.puppets.next("child");
  await child.boundary();
  await child.say({ type: "answer", text: "dear", usage });
  const passed = assert.rejects(child.boundary());
  const opened = await place.event((event) => event.type === "ask.opened");
  await place.first.crash();
  await Promise.all([passed, helped]);

  const second = await place.open();
  const above = await place.puppets.next();
  const heard = above.context.child({ sessionId: "child", promptId: "job", text: "help" });
  const again = await place.puppets.next("child");
  const waits = again.boundary();
  assert(opened.type === "ask.opened");
  const { askId } = opened;
  const actor = { kind: "client", id: "another" } as const;
  const raise = { tokens: null, cost: 10 };
  await second.holdfast.answer({ sessionId: "main", askId, verdict: "allow", raise, actor });
  await waits;
  await again.say({ type: "answer", text: "done", usage });
  again.end();
  assert.equal((await heard).outcome.status, "completed");
  await above.finish();
  assert.equal(await place.outcome("a"), "completed");
});

sqliteTest("P6 C5 a cancel ends a run that waits for its budget", async (place) => {
  const run = await place.openStep("a", asking);
  await run.say({ type: "answer", text: "dear", usage });
  const passed = assert.rejects(run.boundary());
  await place.event((event) => event.type === "run.waiting");
  await place.first.holdfast.cancel({ sessionId: "main" });
  await passed;
  run.end();
  assert.equal(await place.outcome("a"), "cancelled: sessionCancel");
});

test("P6 a run that reaches the daily cap is held, and continues the next day", async (t) => {
  const clock = createStoreClock(Date.UTC(2030, 0, 1, 23));
  const day = { tokens: null, cost: 2 };
  // Longer than the hour that passes, so that the process which resumes the run keeps its lease.
  const leaseTtl = 2 * 3_600_000;
  const place = await openSqlitePlace(t, { storeClock: clock, leaseTtl, caps: () => ({ day }) });
  const run = await place.openStep("a");
  await run.say({ type: "answer", text: "dear", usage });
  await assert.rejects(run.boundary());
  const { holdfast } = place.first;
  const held = await holdfast.session("main");
  assert.deepEqual(
    held?.state.holds.map((hold) => hold.kind === "failure" && [hold.reason, hold.retryAt]),
    [["dailyCap", Date.UTC(2030, 0, 2)]],
  );
  const { caps } = await holdfast.status();
  assert.deepEqual(caps, [
    { cap: "day", spent: usage, limit: day, resetsAt: Date.UTC(2030, 0, 2) },
  ]);
  clock.move(3_600_000);
  const again = await place.puppets.next();
  assert.equal(again.context.runId, run.context.runId);
  await again.finish();
  assert.equal(await place.outcome("a"), "completed");
});
