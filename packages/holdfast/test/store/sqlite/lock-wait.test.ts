import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { NewUpload } from "../../../src/store/store.ts";
import { createHandClock, settled } from "../../support/hand-clock.ts";
import type { HandClock } from "../../support/hand-clock.ts";
import { done, openLane } from "../lane-client.ts";
import { databaseFile, storeError } from "./folder.ts";

const unavailable = storeError("storeUnavailable", /close that program/);
/** Milliseconds that the store waits for a lock of another program. */
const patience = 1_000;

for (const [name, write] of writes()) {
  test(`${name} waits for a lock of another program without blocking the event loop (P1)`, async (t) => {
    const { store, clock, unlock } = await openLocked(t);
    const written = watch(write(store));
    for (let turn = 0; turn < 50; turn += 1) {
      await settled();
      assert.equal((await store.lane("s"))?.sessionId, "s");
      assert.equal((await store.events("s", { after: 0, limit: 10 })).length, 1);
    }
    await clock.move(patience / 2);
    assert.equal(written.isPending(), true);
    unlock();
    await clock.move(25);
    await written.promise;
    assert.equal(clock.pending(), 0);
  });

  test(`${name} fails if another program keeps the lock, and can be repeated (P1)`, async (t) => {
    const { store, clock, unlock } = await openLocked(t);
    const written = watch(write(store));
    await clock.move(patience - 25);
    assert.equal(written.isPending(), true);
    await clock.move(50);
    assert.equal(written.isPending(), false);
    await assert.rejects(written.promise, unavailable);
    unlock();
    await write(store);
    assert.equal(clock.pending(), 0);
  });
}

test("requests that arrive during the wait are committed after the earlier ones (P1, L2)", async (t) => {
  const { store, clock, unlock } = await openLocked(t);
  const lane = openLane(store, "s");
  const first = lane.accept("first");
  await clock.move(100);
  const second = lane.accept("second");
  const puts = [1, 2].map(async (value) => {
    await settled();
    return store.putRecord({ kind: "device", id: "one", value, version: null });
  });
  await clock.move(100);
  unlock();
  await clock.move(25);
  for (const answer of await Promise.all([first, second])) done(answer);
  assert.deepEqual(
    (await Promise.all(puts)).map(({ status }) => status),
    ["stored", "conflict"],
  );
  const events = await store.events("s", { after: 1, limit: 10 });
  assert.deepEqual(
    events.map((event) => event.type === "prompt.accepted" && event.promptId),
    ["first", "second"],
  );
});

test("closing waits for a commit that waits for a lock (P1)", async (t) => {
  const { store, clock, unlock } = await openLocked(t);
  const accepted = openLane(store, "s").accept("a");
  await clock.move(100);
  const closed = store.close();
  unlock();
  await clock.move(25);
  done(await accepted);
  await closed;
});

test("closing ends the wait of a lease for a lock", async (t) => {
  const { store, clock } = await openLocked(t);
  const joined = store.join({ nodeId: "node", ttl: 10_000 });
  const refused = assert.rejects(joined, storeError("storeClosed", /open it again/));
  await clock.move(100);
  await store.close();
  await clock.move(25);
  await refused;
});

function writes(): readonly (readonly [string, (store: SqliteStore) => Promise<unknown>])[] {
  return [
    ["a commit", async (store) => done(await openLane(store, "s").accept("a"))],
    ["a record", (store) => store.putRecord({ kind: "device", id: "a", value: 1, version: null })],
    ["an upload", (store) => store.addUpload(upload(10))],
    ["a large upload", (store) => store.addUpload(upload(300 * 1024))],
    ["a lease", (store) => store.join({ nodeId: "node", ttl: 10_000 })],
  ];
}

function upload(size: number): NewUpload {
  return {
    hash: `hash-${size}`,
    mediaType: "text/plain",
    name: "notes.txt",
    content: new Uint8Array(size),
  };
}

/** Opens a store with a session and a clock that the test moves, and locks its database as another program can. */
async function openLocked(
  context: TestContext,
): Promise<{ store: SqliteStore; clock: HandClock; unlock: () => void }> {
  const file = databaseFile(context);
  const clock = createHandClock();
  const store = await openSqliteStore({ file, timers: clock });
  await openLane(store, "s").create();
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  context.after(async () => {
    other.close();
    await store.close();
  });
  return { store, clock, unlock: () => other.exec("ROLLBACK") };
}

function watch(promise: Promise<unknown>): {
  promise: Promise<unknown>;
  isPending: () => boolean;
} {
  let pending = true;
  const end = (): void => {
    pending = false;
  };
  promise.then(end, end);
  return { promise, isPending: () => pending };
}
