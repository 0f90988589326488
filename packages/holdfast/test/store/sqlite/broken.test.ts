import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqliteReader } from "../../../src/store/sqlite/reader.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { done, openLane } from "../lane-client.ts";
import { databaseFile, storeError } from "./folder.ts";

test("a file that is not a database is refused and not changed", async (context) => {
  const file = databaseFile(context);
  const text = "a letter to a friend\n".repeat(1000);
  writeFileSync(file, text);
  const invalid = storeError("storeInvalid", /is not a SQLite database; choose another file/);
  await assert.rejects(openSqliteStore({ file }), invalid);
  await assert.rejects(openSqliteReader({ file }), invalid);
  assert.equal(readFileSync(file, "utf8"), text);
  assert.deepEqual(readdirSync(dirname(file)), ["store.db"]);
});

test("another program's database is refused and not changed", async (context) => {
  const file = databaseFile(context);
  const other = new DatabaseSync(file);
  other.exec("CREATE TABLE songs (title TEXT)");
  other.close();
  const before = readFileSync(file);
  const invalid = storeError(
    "storeInvalid",
    /is a database of another program; choose another file/,
  );
  await assert.rejects(openSqliteStore({ file }), invalid);
  await assert.rejects(openSqliteReader({ file }), invalid);
  assert.deepEqual(readFileSync(file), before);
  assert.deepEqual(readdirSync(dirname(file)), ["store.db"]);
});

test("a missing directory, or a directory in place of the file, is reported", async (context) => {
  const file = databaseFile(context);
  const invalid = storeError(
    "storeInvalid",
    /cannot be opened; choose a file in a directory that exists/,
  );
  await assert.rejects(openSqliteStore({ file: join(dirname(file), "none", "store.db") }), invalid);
  mkdirSync(file);
  await assert.rejects(openSqliteStore({ file }), invalid);
  const none = storeError("storeInvalid", /there is no database .*; check the file name/);
  await assert.rejects(openSqliteReader({ file: `${file}-none` }), none);
});

test("a damaged file is refused with advice, wherever the damage is", async (context) => {
  const corrupt = storeError("storeCorrupt", /is damaged; stop the program and restore a backup/);
  const file = databaseFile(context);
  await fill(file);
  const whole = readFileSync(file);
  const garbage = Buffer.alloc(whole.length, "#");
  writeFileSync(file, Buffer.concat([whole.subarray(0, 4096), garbage.subarray(4096)]));
  await assert.rejects(openSqliteStore({ file }), corrupt);
  await assert.rejects(openSqliteReader({ file }), corrupt);

  writeFileSync(file, whole);
  truncateSync(file, Math.floor(whole.length / 8192) * 4096);
  await assert.rejects(async () => {
    const store = await openSqliteStore({ file });
    try {
      await store.feed({ after: null, limit: 10_000 });
      await store.prompts("s", { after: null, limit: 10_000 });
    } finally {
      await store.close();
    }
  }, corrupt);
});

test("a store that cannot be opened because of damage does not keep its lock", async (context) => {
  const file = databaseFile(context);
  await fill(file);
  const whole = readFileSync(file);
  const database = new DatabaseSync(file);
  const pages = database
    .prepare("SELECT rootpage AS page FROM sqlite_schema WHERE tbl_name = 'parts'")
    .all();
  database.close();
  const damaged = Buffer.from(whole);
  for (const { page } of pages) damaged.fill("#", (Number(page) - 1) * 4096, Number(page) * 4096);
  writeFileSync(file, damaged);
  await assert.rejects(openSqliteStore({ file }), storeError("storeCorrupt", /restore a backup/));
  writeFileSync(file, whole);
  await (await openSqliteStore({ file })).close();
});

test("damage to one lane affects only reads of that lane", async (context) => {
  const file = databaseFile(context);
  await fill(file);
  const database = new DatabaseSync(file);
  database.exec("UPDATE lanes SET state = substr(state, 1, 20) WHERE session_id = 's'");
  database.close();
  const store = await openSqliteStore({ file });
  const corrupt = storeError("storeCorrupt", /restore a backup/);
  await assert.rejects(store.lane("s"), corrupt);
  const [damaged, sound] = await Promise.allSettled([
    openLane(store, "s").accept("more"),
    openLane(store, "t").create(),
  ]);
  assert.equal(damaged.status, "rejected");
  assert.equal(damaged.reason.code, "storeCorrupt");
  assert.equal(sound.status, "fulfilled");
  await store.close();
});

test("a file that cannot be written is refused as read-only", async (context) => {
  const file = databaseFile(context);
  const readOnly = storeError(
    "storeReadOnly",
    /cannot be written; make the file and its directory writable/,
  );
  const folder = dirname(file);
  chmodSync(folder, 0o555);
  await asNobody(() => assert.rejects(openSqliteStore({ file }), readOnly));
  chmodSync(folder, 0o755);
  await fill(file);
  chmodSync(file, 0o444);
  chmodSync(folder, 0o555);
  await asNobody(() => assert.rejects(openSqliteStore({ file }), readOnly));
  chmodSync(folder, 0o755);
});

test("a database of a newer release is opened if its schema allows it", async (context) => {
  const file = databaseFile(context);
  await fill(file);
  const say = (version: { schema: number; lowest: number }): void => {
    const database = new DatabaseSync(file);
    const update = database.prepare("UPDATE meta SET value = ? WHERE key = ?");
    update.run(String(version.schema), "schema_version");
    update.run(String(version.lowest), "lowest_version");
    database.close();
  };
  say({ schema: 99, lowest: 1 });
  const store = await openSqliteStore({ file });
  done(await openLane(store, "s").accept("more"));
  await store.close();
  say({ schema: 99, lowest: 98 });
  const tooNew = storeError(
    "storeTooNew",
    /schema version 99, .* at least schema version 98; .* newer Holdfast/,
  );
  await assert.rejects(openSqliteStore({ file }), tooNew);
  await assert.rejects(openSqliteReader({ file }), tooNew);
});

/** A database with a session s of 200 prompts. */
async function fill(file: string): Promise<void> {
  const store = await openSqliteStore({ file });
  const lane = openLane(store, "s");
  await lane.create();
  await Promise.all(Array.from({ length: 200 }, (_, number) => lane.accept(`p${number}`)));
  await store.close();
}

/** Changes the user if the test runs as root, because permissions do not apply to root. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}
