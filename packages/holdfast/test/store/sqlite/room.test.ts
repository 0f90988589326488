import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { openLane } from "../lane-client.ts";
import { databaseFile } from "./folder.ts";

test("compacting empties the write-ahead log, so that free space is returned to the disk", async (t) => {
  const file = databaseFile(t);
  const store = await openSqliteStore({ file });
  t.after(() => store.close());
  await openLane(store, "s").create();
  const log = `${file}-wal`;
  assert.notEqual(statSync(log).size, 0);
  await store.compact();
  assert.equal(statSync(log).size, 0);
});
