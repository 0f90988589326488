import assert from "node:assert/strict";
import { setImmediate as nextRound } from "node:timers/promises";
import { test } from "node:test";
import type { Agent } from "../../src/agent/agent.ts";
import { withTimeout } from "../../src/base/time.ts";
import { nextMillisecond, waitFor } from "../support/wait-for.ts";
import { openSqlitePlace } from "./support/place.ts";
import { repeatable } from "./support/puppets.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import type { Node, Place } from "./support/place.ts";

// Limits on concurrent runs. The agents count themselves.

/** Time for a run to wait until all places are used, on a slow machine too. */
const patience = 60_000;

test("P5 maxRuns and maxRunsPerDirectory are never exceeded, and all slots are used", async (t) => {
  const working = new Map<string, number>();
  const most = { total: 0, directory: 0 };
  const allUsed = Promise.withResolvers<void>();
  const agent: Agent = {
    name: "counting",
    async *run(context) {
      const { directory } = context;
      working.set(directory, (working.get(directory) ?? 0) + 1);
      const total = [...working.values()].reduce((sum, count) => sum + count, 0);
      most.total = Math.max(most.total, total);
      most.directory = Math.max(most.directory, working.get(directory) ?? 0);
      if (most.total === 5) allUsed.resolve();
      await withTimeout(allUsed.promise, { milliseconds: patience, late: () => {} });
      for (let round = 0; round < 5; round += 1) await nextRound();
      await context.boundary();
      working.set(directory, (working.get(directory) ?? 1) - 1);
      yield { type: "answer", text: "done" };
    },
  };
  const place = await openSqlitePlace(t, { agent, maxRuns: 5, maxRunsPerDirectory: 2 });
  const sessions = Array.from({ length: 30 }, (_, index) => `session-${index}`);
  for (const [index, sessionId] of sessions.entries()) {
    // Most sessions share one directory, which would take all places.
    const directory = index < 20 ? "/busy" : `/quiet-${index}`;
    await place.first.holdfast.createSession({ sessionId, directory });
  }
  for (const promptId of ["a", "b"]) {
    await Promise.all(
      sessions.map((sessionId) => place.first.holdfast.prompt({ sessionId, promptId, text: "x" })),
    );
  }
  for (const sessionId of sessions) assert.equal(await place.outcome("b", sessionId), "completed");
  assert.deepEqual(most, { total: 5, directory: 2 });
});

test("without maxRunsPerDirectory, one directory may use all places of maxRuns", async (t) => {
  const maxRuns = 70;
  const allStarted = Promise.withResolvers<void>();
  let [working, most] = [0, 0];
  const agent: Agent = {
    name: "together",
    async *run(context) {
      working += 1;
      most = Math.max(most, working);
      if (working === maxRuns) allStarted.resolve();
      await withTimeout(allStarted.promise, { milliseconds: patience, late: () => {} });
      await context.boundary();
      working -= 1;
      yield { type: "answer", text: "done" };
    },
  };
  const place = await openSqlitePlace(t, { agent, maxRuns });
  const sessions = Array.from({ length: maxRuns }, (_, index) => `session-${index}`);
  for (const sessionId of sessions) {
    await place.first.holdfast.createSession({ sessionId, directory: "/busy" });
    await place.first.holdfast.prompt({ sessionId, promptId: "a", text: "x" });
  }
  for (const sessionId of sessions) assert.equal(await place.outcome("a", sessionId), "completed");
  assert.equal(most, maxRuns);
});

test("L3 a session with a long queue does not keep another waiting", async (t) => {
  const place = await openSqlitePlace(t, { maxRuns: 1 });
  const { holdfast } = place.first;
  const busy = await place.openRun("busy");
  for (let index = 0; index < 10; index += 1) await place.prompt(`long-${index}`);
  const others = ["other-1", "other-2", "other-3"];
  for (const sessionId of others) {
    await holdfast.createSession({ sessionId, directory: "/project" });
    await holdfast.prompt({ sessionId, promptId: sessionId, text: "quick" });
  }
  await nextMillisecond();
  await busy.finish();
  serveAll(place, ["main", ...others]);
  for (const sessionId of others) {
    assert.equal(await place.outcome(sessionId, sessionId), "completed");
  }
  const order = place.puppets.begun.filter((promptId) => promptId !== "busy");
  // The long queue became ready again after the others did, when its run ended.
  assert.deepEqual(order.slice(0, 3), others);
  for (let index = 0; index < 10; index += 1) {
    assert.equal(await place.outcome(`long-${index}`), "completed");
  }
});

sqliteTest(
  "R3 second attempts run one at a time, until each has a step or waits",
  async (place) => {
    const sessions = await createSessions(place, { count: 4, directories: 4 });
    for (const sessionId of sessions) {
      await place.first.holdfast.prompt({ sessionId, promptId: "a", text: "x" });
      await (await place.puppets.next(sessionId)).boundary();
    }
    await place.first.crash();
    await place.open();
    let inFirstStep = 0;
    let most = 0;
    await Promise.all(
      sessions.map(async (sessionId) => {
        const run = await place.puppets.next(sessionId);
        inFirstStep += 1;
        most = Math.max(most, inFirstStep);
        for (let round = 0; round < 20; round += 1) await nextRound();
        inFirstStep -= 1;
        await run.finish();
      }),
    );
    for (const sessionId of sessions)
      assert.equal(await place.outcome("a", sessionId), "completed");
    assert.equal(most, 1);
  },
);

sqliteTest(
  "R3 the first step of a second attempt lets the next one start, not only its end",
  async (place) => {
    const sessions = await createSessions(place, { count: 2, directories: 2 });
    for (const sessionId of sessions) {
      await place.first.holdfast.prompt({ sessionId, promptId: "a", text: "x" });
      await (await place.puppets.next(sessionId)).boundary();
    }
    await place.first.crash();
    const next = await place.open();
    const coming = sessions.map((sessionId) => place.puppets.next(sessionId));
    const first = await Promise.race(coming);
    await first.boundary();
    // The process reads the session and finds no new step.
    await next.holdfast.renameSession({ sessionId: first.context.sessionId, title: "x" });
    await untilScanned(next);
    assert.deepEqual(place.puppets.begun, ["a", "a", "a"]);
    await first.answer("a step", [repeatable("one")]);
    const runs = await Promise.all(coming);
    await first.startTool("one");
    await first.endTool("one");
    for (const run of runs) await run.finish();
    for (const sessionId of sessions)
      assert.equal(await place.outcome("a", sessionId), "completed");
  },
);

test("L1 P5 cancelling a waiting run whose slot is lent frees no other run's slot", async (t) => {
  const place = await openSqlitePlace(t, { maxRuns: 1 });
  const { holdfast } = place.first;
  const sessions = await createSessions(place, { count: 2, directories: 1 });
  const [second = "", third = ""] = sessions;
  const asking = await place.openStep("asks");
  await asking.answer("well?");
  const asked = assert.rejects(asking.context.ask({ askId: "ask1", question: "well?" }));
  await holdfast.prompt({ sessionId: second, promptId: "b", text: "x" });
  const working = await place.puppets.next(second);
  await holdfast.prompt({ sessionId: third, promptId: "c", text: "x" });
  await holdfast.cancel({ sessionId: "main" });
  await asked;
  asking.end();
  assert.equal(await place.outcome("asks"), "cancelled: sessionCancel");
  await untilScanned(place.first);
  assert.deepEqual(place.puppets.begun, ["asks", "b"]);
  await working.finish();
  await (await place.puppets.next(third)).finish();
  assert.equal(await place.outcome("c", third), "completed");
});

test("L3 C7 an embedded runner works on its session and its children, and lists the rest", async (t) => {
  const place = await openSqlitePlace(t, { maxRuns: 0 });
  const { holdfast } = place.first;
  await holdfast.createSession({ sessionId: "other", directory: "/project" });
  await holdfast.prompt({ sessionId: "other", promptId: "b", text: "not mine" });
  const embedded = await place.open({ maxRuns: 8, onlySession: "main" });
  await embedded.holdfast.createSession({ sessionId: "another", directory: "/project" });
  await place.prompt("c", { sessionId: "another" });
  const run = await place.openStep("a");
  await run.answer("help");
  const helped = run.context.child({ sessionId: "child", promptId: "job", text: "help" });
  const child = await place.puppets.next("child");
  await child.boundary();
  await child.answer("help me too");
  const below = child.context.child({ sessionId: "grandchild", promptId: "job", text: "help" });
  await (await place.puppets.next("grandchild")).finish();
  await below;
  await child.finish();
  await helped;
  await run.finish();
  assert.equal(await place.outcome("a"), "completed");
  const unfinished = await embedded.holdfast.unfinished();
  assert.deepEqual(
    unfinished.map(({ sessionId, wants }) => [sessionId, wants]),
    [
      ["other", "start"],
      ["another", "start"],
    ],
  );
  assert.deepEqual(place.puppets.begun, ["a", "job", "job"]);
});

test("L3 C7 a restarted embedded runner finds a grandchild whose parent has ended", async (t) => {
  const place = await openSqlitePlace(t, { onlySession: "main" });
  const run = await place.openStep("a");
  await run.context.background({ sessionId: "child", promptId: "job", text: "go" });
  await run.answer("started");
  run.end();
  const child = await place.puppets.next("child");
  await child.boundary();
  await child.context.background({ sessionId: "grandchild", promptId: "deep", text: "go" });
  await place.puppets.next("grandchild");
  await child.answer("started");
  child.end();
  await place.outcome("job", "child");
  await (await place.puppets.next()).finish();
  await place.outcome("result:job");
  await place.first.crash();
  await place.open({ onlySession: "main" });
  await (await place.puppets.next("grandchild")).finish();
  assert.equal(await place.outcome("deep", "grandchild"), "completed");
  await (await place.puppets.next("child")).finish();
  assert.equal(await place.outcome("result:deep", "child"), "completed");
});

async function createSessions(
  place: Place,
  wanted: { count: number; directories: number },
): Promise<string[]> {
  const sessions = Array.from({ length: wanted.count }, (_, index) => `session-${index}`);
  for (const [index, sessionId] of sessions.entries()) {
    const directory = `/project-${index % wanted.directories}`;
    await place.first.holdfast.createSession({ sessionId, directory });
  }
  return sessions;
}

/** Lets every run of these sessions answer as soon as it begins. */
function serveAll(place: Place, sessions: readonly string[]): void {
  const serve = async (sessionId: string): Promise<void> => {
    await (await place.puppets.next(sessionId)).finish();
    await serve(sessionId);
  };
  for (const sessionId of sessions) void serve(sessionId);
}

/** Resolves when the runner has read all waiting sessions at least once more. */
async function untilScanned({ store }: Node): Promise<void> {
  const pending = store.pending.bind(store);
  let count = 0;
  store.pending = async (query) => {
    const found = await pending(query);
    count += 1;
    return found;
  };
  await waitFor(() => count, { describe: "three scans of the store", until: () => count >= 3 });
}
