import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { TestContext } from "node:test";
import { acceptRequest } from "../../src/runner/prompt.ts";
import { findForgotten, removeForgotten } from "../../src/runtime/retention/forgotten-bodies.ts";
import { repeat } from "../../src/base/repeat.ts";
import { carryOut, planRetention } from "../../src/runtime/retention/retention.ts";
import type { RetentionPlan } from "../../src/runtime/retention/retention.ts";
import { examine } from "../../src/store/doctor/doctor.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { openLane } from "../store/lane-client.ts";
import { databaseFile } from "../store/sqlite/folder.ts";

const actor = { kind: "node", id: "tidy" } as const;
const limits = { maxQueue: 10, maxBytes: 1_000_000, draining: false };
const day = 24 * 3_600_000;

interface Fixture {
  readonly store: SqliteStore;
  readonly advance: (milliseconds: number) => void;
  /** A message that is settled at once, with a file. */
  say(sessionId: string, promptId: string, said: { text: string; file?: string }): Promise<void>;
  lane: (sessionId: string) => ReturnType<typeof openLane>;
}

async function openFixture(context: TestContext): Promise<Fixture> {
  let now = 1_700_000_000_000;
  const store = await openSqliteStore({ file: databaseFile(context), clock: () => now });
  context.after(() => store.close());
  return {
    store,
    advance: (milliseconds) => void (now += milliseconds),
    lane: (sessionId) => openLane(store, sessionId),
    async say(sessionId, promptId, { text, file }) {
      const attachments =
        file === undefined
          ? []
          : [{ name: "a.txt", mediaType: "text/plain", content: new TextEncoder().encode(file) }];
      const input = { sessionId, promptId, text, actor, reply: false, attachments };
      const answer = await store.execute(acceptRequest(input, { limits }));
      assert.equal(answer.status, "done");
    },
  };
}

const bytesOf = (found: ReadonlyMap<string, number>): number =>
  [...found.values()].reduce((sum, bytes) => sum + bytes, 0);

const idsIn = ({ archive, remove }: RetentionPlan): string[][] =>
  [archive, remove].map((found) => found.map(({ sessionId }) => sessionId).toSorted());

void test("old idle sessions are archived, archived ones deleted, and nothing unfinished is touched", async (t) => {
  const fixture = await openFixture(t);
  const { store, lane } = fixture;
  for (const id of ["done", "archived", "named", "waiting", "held", "running", "parent"]) {
    await lane(id).create();
  }
  await fixture.say("done", "p1", { text: "one" });
  await lane("waiting").accept("p1", { text: "not yet" });
  await lane("held").hold("h1");
  await store.join({ nodeId: "node1", ttl: day });
  for (const id of ["running", "parent"]) {
    await lane(id).accept("p1");
    await lane(id).start(`run-of-${id}`);
  }
  // The run has ended, but a child of it is still active.
  await lane("parent").link({ sessionId: "waiting", promptId: "k" }, { background: true });
  const parent = { sessionId: "parent", runId: "run-of-parent", background: true };
  await lane("waiting").accept("k", { parent });
  await lane("parent").end();
  for (const id of ["archived", "named"]) {
    await lane(id).send({ type: "session.archive", archived: true });
  }
  fixture.advance(10 * day);
  await lane("young").create();
  fixture.advance(1);
  const rules = { archiveAfter: 5 * day, deleteArchivedAfter: 8 * day };
  const plan = await planRetention(store, rules);
  assert.deepEqual(idsIn(plan), [["done"], ["archived", "named"]]);
  assert.equal((await store.lane("done"))?.archived, false);
  // A session that somebody has used since the plan was made is left alone.
  await fixture.say("archived", "back", { text: "wait" });
  await lane("named").send({ type: "session.rename", title: "still of use", auto: false });
  await carryOut(store, { ...plan, actor });
  const labels = async (id: string): Promise<unknown> => {
    const state = await store.lane(id);
    return [state?.status, state?.archived];
  };
  assert.deepEqual(await labels("done"), ["open", true]);
  assert.deepEqual(await labels("archived"), ["open", false]);
  assert.deepEqual(await labels("named"), ["open", true]);
  assert.deepEqual(await labels("young"), ["open", false]);
  fixture.advance(9 * day);
  const later = await planRetention(store, { archiveAfter: null, deleteArchivedAfter: 8 * day });
  assert.deepEqual(idsIn(later), [[], ["done", "named"]]);
  await carryOut(store, { ...later, actor });
  assert.equal((await store.lane("done"))?.status, "deleted");
  assert.equal((await store.prompt("done", "p1"))?.status, "settled");
});

void test("P1 C1: a prompt that comes while its session is about to be archived or deleted is left alone", async (t) => {
  const fixture = await openFixture(t);
  const { store, lane } = fixture;
  for (const id of ["done", "archived"]) await lane(id).create();
  await lane("archived").send({ type: "session.archive", archived: true });
  fixture.advance(2 * day);
  const plan = await planRetention(store, { archiveAfter: day, deleteArchivedAfter: day });
  for (const id of ["done", "archived"]) await lane(id).accept("late", { text: "still there?" });
  await carryOut(store, { ...plan, actor });
  for (const id of ["done", "archived"]) {
    const state = await store.lane(id);
    const prompt = await store.prompt(id, "late");
    assert.deepEqual([state?.status, state?.archived, prompt?.status], ["open", false, "queued"]);
  }
  // The sessions are not tidied either if the prompt has ended and they are idle again.
  for (const id of ["done", "archived"]) await lane(id).cancel("x1");
  await lane("archived").send({ type: "session.archive", archived: true });
  await carryOut(store, { ...plan, actor });
  const labels = async (): Promise<unknown[]> => [
    (await store.lane("done"))?.archived,
    (await store.lane("archived"))?.status,
  ];
  assert.deepEqual(await labels(), [false, "open"]);
  // Both are tidied when nobody has used them for long enough again.
  fixture.advance(2 * day);
  const next = await planRetention(store, { archiveAfter: day, deleteArchivedAfter: day });
  await carryOut(store, { ...next, actor });
  assert.deepEqual(await labels(), [true, "deleted"]);
});

void test("all sessions that are old enough are found, to the millisecond and however many there are", async (t) => {
  const { store, lane, advance } = await openFixture(t);
  const ids = Array.from({ length: 205 }, (_, index) => `s${index}`);
  await Promise.all(ids.map((id) => lane(id).create()));
  const found = async (): Promise<number> =>
    (await planRetention(store, { archiveAfter: day, deleteArchivedAfter: null })).archive.length;
  advance(day);
  assert.equal(await found(), 0);
  advance(1);
  assert.equal(await found(), 205);
});

void test("P4: contents that only deleted sessions used are removed, and the outcomes of their prompts can still be read", async (t) => {
  const fixture = await openFixture(t);
  const { store, lane } = fixture;
  for (const id of ["gone", "kept"]) await lane(id).create();
  await fixture.say("gone", "p1", { text: "secret", file: "a".repeat(5_000) });
  await fixture.say("gone", "p2", { text: "shared", file: "b".repeat(300) });
  await fixture.say("kept", "p1", { text: "other", file: "b".repeat(300) });
  const row = await store.prompt("gone", "p1");
  assert.equal((await findForgotten(store)).bytes.size, 0);
  await lane("gone").remove();
  const found = await findForgotten(store);
  // Another prompt uses the content after the search and before the removal.
  await fixture.say("kept", "p2", { text: "again", file: "a".repeat(5_000) });
  const removed = await removeForgotten(store, found);
  assert.equal(bytesOf(found.bytes) - bytesOf(removed), 5_000);
  assert.equal(await store.body(row?.body ?? ""), null);
  assert.deepEqual(await store.prompt("gone", "p1"), row);
  assert.equal((await findForgotten(store)).bytes.size, 0);
  const { violations, sessions } = await examine(store);
  assert.deepEqual({ violations, sessions }, { violations: [], sessions: 2 });
  for (const promptId of ["p1", "p2"]) {
    const kept = await store.prompt("kept", promptId);
    assert.notEqual(await store.body(kept?.body ?? ""), null);
  }
});

void test("P4: the search for unused contents reads every page of deleted sessions and of sessions that use a content", async (t) => {
  const fixture = await openFixture(t);
  const { store, lane } = fixture;
  const ids = Array.from({ length: 500 }, (_, index) => `s${index}`);
  await Promise.all([...ids, "gone", "last-gone", "zz"].map((id) => lane(id).create()));
  await fixture.say("gone", "p1", { text: "secret", file: "a".repeat(500) });
  await fixture.say("last-gone", "p1", { text: "shared", file: "b".repeat(300) });
  await fixture.say("zz", "p1", { text: "other", file: "b".repeat(300) });
  await lane("gone").remove();
  await lane("last-gone").remove();
  const sessionByPage: SqliteStore["listSessions"] = (query) =>
    store.listSessions({ ...query, limit: 1 });
  const { bytes } = await findForgotten({ ...store, listSessions: sessionByPage });
  const kept = bytesOf((await findForgotten(store)).bytes);
  assert.deepEqual([bytes.size, bytesOf(bytes)], [3, kept]);
});

const ofAnotherStore: SqliteStore["feed"] = () =>
  Promise.resolve({ status: "reset", cursor: "elsewhere" });

void test("P1: a content that a session uses again during the search, or may use, is kept", async (t) => {
  const fixture = await openFixture(t);
  const { store, lane } = fixture;
  for (const id of ["gone", "kept"]) await lane(id).create();
  const secret = { text: "secret", file: "a".repeat(500) };
  await fixture.say("gone", "p1", secret);
  await lane("gone").remove();
  let isSaid = false;
  const events: SqliteStore["events"] = async (id, page) => {
    const found = await store.events(id, page);
    if (id === "kept" && !isSaid) {
      isSaid = true;
      await fixture.say("kept", "p1", secret);
    }
    return found;
  };
  const found = await findForgotten({ ...store, events });
  assert.equal(found.bytes.size, 2);
  assert.equal((await removeForgotten(store, found)).size, 0);
  assert.equal((await removeForgotten({ ...store, feed: ofAnotherStore }, found)).size, 0);
  assert.notEqual(await store.body((await store.prompt("kept", "p1"))?.body ?? ""), null);
});

void test("repeated work runs again after each end, even after a failure, until stopped", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const seen: string[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const work = repeat({
    work: () => {
      const end = Promise.withResolvers<void>();
      ends.push(end);
      seen.push(`begun ${ends.length}`);
      return end.promise;
    },
    first: 10,
    every: 100,
    onError: (error) => void seen.push(String(error)),
  });
  t.mock.timers.tick(10);
  t.mock.timers.tick(1_000);
  ends[0]?.reject(new Error("away"));
  await setImmediate();
  t.mock.timers.tick(99);
  assert.deepEqual(seen, ["begun 1", "Error: away"]);
  t.mock.timers.tick(1);
  const stopped = work.stop().then(() => seen.push("stopped"));
  await setImmediate();
  assert.deepEqual(seen, ["begun 1", "Error: away", "begun 2"]);
  ends[1]?.resolve();
  await stopped;
  t.mock.timers.tick(1_000);
  assert.deepEqual(seen, ["begun 1", "Error: away", "begun 2", "stopped"]);
});
