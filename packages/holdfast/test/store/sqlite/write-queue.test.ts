import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { databaseFile } from "./folder.ts";

test("records that are written in one turn of the event loop share a commit, and a refused one fails alone", async (context) => {
  const file = databaseFile(context);
  const store = await openSqliteStore({ file });
  const put = (id: string, value: unknown) =>
    store.putRecord({ kind: "device", id, value, version: null });
  const before = commits(file);
  const written = await Promise.all(Array.from({ length: 50 }, (_, id) => put(`d${id}`, id)));
  assert.ok(written.every(({ status }) => status === "stored"));
  assert.equal(commits(file) - before, 1);

  const [first, refused, again, removed] = await Promise.allSettled([
    put("e", 1),
    put("not a key", 1),
    put("e", 2),
    store.removeRecord({ kind: "device", id: "e" }),
  ]);
  assert.deepEqual(
    [first, again, removed].map((each) => each.status),
    ["fulfilled", "fulfilled", "fulfilled"],
  );
  assert.ok(refused.status === "rejected" && refused.reason instanceof RangeError);
  // The writes are in the order of the calls.
  assert.equal(again.status === "fulfilled" && again.value.status, "conflict");
  assert.equal(await store.record("device", "e"), null);

  // Closing the store waits for a write that was just added.
  const last = put("last", 3);
  await store.close();
  assert.equal((await last).status, "stored");
});

/** Number of commits in the write-ahead log: the header of the last page of a commit has the size of the database. */
function commits(file: string): number {
  const log = readFileSync(`${file}-wal`);
  const pageSize = log.readUInt32BE(8);
  let count = 0;
  for (let at = 32; at + 24 + pageSize <= log.length; at += 24 + pageSize) {
    if (log.readUInt32BE(at + 4) > 0) count += 1;
  }
  return count;
}
