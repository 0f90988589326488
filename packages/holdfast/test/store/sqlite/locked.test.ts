import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { done, openLane } from "../lane-client.ts";
import { databaseFile, storeError } from "./folder.ts";

/** The store waits 1 s for a lock. If it waited for each of the 16 requests, all together would take longer than this. */
const limit = 8_000;
const ids = Array.from({ length: 16 }, (_, number) => `p${number}`);
const unavailable = storeError("storeUnavailable", /close that program/);

test("P1 requests of one batch fail together while another program holds the lock, and can be repeated", async (context) => {
  const { store, unlock } = await openLocked(context);
  const lane = openLane(store, "s");
  const startedAt = performance.now();
  await failTogether(ids.map((id) => lane.accept(id)));
  assert.ok(performance.now() - startedAt < limit);
  unlock();
  for (const answer of await Promise.all(ids.map((id) => lane.accept(id)))) done(answer);
});

test("records of one batch fail together while another program holds the lock, and can be repeated", async (context) => {
  const { store, unlock } = await openLocked(context);
  const put = (id: string) => store.putRecord({ kind: "device", id, value: 1, version: null });
  const startedAt = performance.now();
  await failTogether(ids.map(put));
  assert.ok(performance.now() - startedAt < limit);
  unlock();
  const written = await Promise.all(ids.map(put));
  assert.ok(written.every(({ status }) => status === "stored"));
});

test("an upload fails as unavailable while another program holds the lock, and can be repeated", async (context) => {
  const { store, unlock } = await openLocked(context);
  const uploads = [10, 300 * 1024].map((size) => ({
    hash: `hash-${size}`,
    mediaType: "text/plain",
    name: "notes.txt",
    content: new Uint8Array(size),
  }));
  for (const upload of uploads) await assert.rejects(store.addUpload(upload), unavailable);
  unlock();
  for (const upload of uploads) {
    await store.addUpload(upload);
    assert.equal((await store.upload(upload.hash))?.content.byteLength, upload.content.byteLength);
  }
});

/** Opens a store with a session, and locks its database as another program can. */
async function openLocked(
  context: TestContext,
): Promise<{ store: SqliteStore; unlock: () => void }> {
  const file = databaseFile(context);
  const store = await openSqliteStore({ file });
  await openLane(store, "s").create();
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  context.after(async () => {
    other.close();
    await store.close();
  });
  return { store, unlock: () => other.exec("ROLLBACK") };
}

async function failTogether(requests: readonly Promise<unknown>[]): Promise<void> {
  await Promise.all(requests.map((request) => assert.rejects(request, unavailable)));
}
