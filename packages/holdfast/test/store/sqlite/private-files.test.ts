import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { openLane } from "../lane-client.ts";
import { databaseFile } from "./folder.ts";

test("only the owner can read a store's files and its backup", async (context) => {
  const before = process.umask(0o022);
  context.after(() => process.umask(before));
  const file = databaseFile(context);
  const folder = dirname(file);
  const store = await openSqliteStore({ file });
  await openLane(store, "s").create();
  await store.backup(join(folder, "copy.db"));
  const names = readdirSync(folder);
  const modes = names.map((name) => statSync(join(folder, name)).mode & 0o777);
  await store.close();
  assert.deepEqual(new Set(modes), new Set([0o600]));
  for (const end of ["", "-wal", "-shm", "-lock"]) assert.ok(names.includes(`store.db${end}`));
  assert.ok(names.includes("copy.db"));
});
