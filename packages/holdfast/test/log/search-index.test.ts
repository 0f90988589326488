import assert from "node:assert/strict";
import { closeSync, openSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { createDemoAgent } from "../../src/agent/demo/demo-agent.ts";
import { repairSearch } from "../../src/compose/search-repair.ts";
import { createSearchIndex } from "../../src/log/search-index.ts";
import { carryOut, planRetention } from "../../src/runtime/retention/retention.ts";
import { searchViews } from "../../src/runtime/views/search.ts";
import { createRuntime } from "../../src/runtime/runtime.ts";
import { openSqliteReader } from "../../src/store/sqlite/reader.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { waitFor } from "../support/wait-for.ts";

const sessionId = "main";

async function storeWith(t: TestContext, texts: readonly string[], secret = ""): Promise<string> {
  const folder = scratchFolder(t, "search-index");
  const file = join(folder, "sessions.db");
  const agent = createDemoAgent({ faults: false });
  const redact = (text: string): string =>
    secret === "" ? text : text.replaceAll(secret, "[key]");
  const runtime = await createRuntime({ agent, store: file, redact, titles: false });
  await runtime.createSession({ sessionId, directory: folder });
  for (const text of texts) {
    const { promptId } = await runtime.prompt({ sessionId, text });
    await runtime.wait({ sessionId, promptId });
  }
  await runtime.close();
  return file;
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file, { defensive: false });
  database.exec(sql);
  database.close();
}

async function found(store: Store, words: string): Promise<number> {
  const { hits, isComplete } = await searchViews(store).search({
    words,
    directories: null,
    kinds: ["prompt"],
    after: null,
    limit: 50,
  });
  assert.equal(isComplete, true);
  return hits.length;
}

test("a database of schema version 7 is indexed by the first search", async (t) => {
  const file = await storeWith(t, ["say walrus", "say penguin"]);
  change(
    file,
    `DROP TABLE texts; DROP TABLE text_terms; DELETE FROM meta WHERE key = 'search_mark';
     UPDATE meta SET value = '7' WHERE key = 'schema_version'`,
  );
  const store = await openSqliteStore({ file });
  assert.equal(await store.searchMark(), null);
  assert.equal(await found(store, "walrus"), 1);
  await store.close();
});

test("a search while older texts are being indexed says that it is not complete", async (t) => {
  const file = await storeWith(t, ["say walrus"]);
  const store = await openSqliteStore({ file });
  const slow: Store = { ...store, writeSearch: () => Promise.resolve(false) };
  assert.equal(await createSearchIndex(slow).catchUp(1), false);
  await store.close();
});

test("a page with few literal matches reads a limited number of texts in few steps", async (t) => {
  const file = await storeWith(t, ["alpha beta", "beta alpha"]);
  const store = await openSqliteStore({ file });
  assert.equal(await found(store, "alpha"), 2);
  const term = { text: "alpha", isPrefix: false };
  const query = { terms: [term], labels: [], since: null, until: null, before: null };
  const all = await store.findTexts({ ...query, limit: 10 });
  const wrong = all[0];
  assert.ok(wrong !== undefined);
  const limits: number[] = [];
  // As if there were a thousand newer texts with the same words in another order.
  const large: Store = {
    ...store,
    findTexts: async ({ before, ...rest }) => {
      const last = before ?? 2_000;
      limits.push(rest.limit);
      const length = Math.max(0, Math.min(rest.limit, last - 1_000));
      const newer = Array.from({ length }, (_, index) => ({ ...wrong, id: last - 1 - index }));
      if (length === rest.limit) return newer;
      const limit = rest.limit - length;
      return [...newer, ...(await store.findTexts({ ...rest, limit, before: last - length }))];
    },
  };
  const texts: string[] = [];
  for (let after: number | null = null, pages = 0; pages < 1_000; pages += 1) {
    limits.length = 0;
    const page = await searchViews(large).search({
      words: '"alpha beta"',
      directories: null,
      kinds: ["prompt"],
      after,
      limit: 1,
    });
    assert.ok(limits.length <= 6, `${limits.length} steps`);
    assert.ok(limits.reduce((sum, limit) => sum + limit, 0) <= 500);
    texts.push(...page.hits.map(({ snippet }) => snippet.map((part) => part.text).join("")));
    if (page.cursor === null || texts.length > 0) break;
    after = page.cursor;
  }
  assert.deepEqual(texts, ["alpha beta"]);
  await store.close();
});

test("a secret that was removed from a prompt cannot be found", async (t) => {
  const file = await storeWith(t, ["say walrus sk4711"], "sk4711");
  const store = await openSqliteStore({ file });
  assert.deepEqual([await found(store, "walrus"), await found(store, "sk4711")], [1, 0]);
  await store.close();
});

test("retention removes the texts of a session from the index in the commit that deletes it", async (t) => {
  const file = await storeWith(t, ["say walrus"]);
  const store = await openSqliteStore({ file });
  assert.equal(await found(store, "walrus"), 1);
  const actor = { kind: "client", id: "me" } as const;
  await store.execute({ command: { type: "session.archive", sessionId, archived: true, actor } });
  const rules = { archiveAfter: null, deleteArchivedAfter: 0 };
  const plan = await waitFor(() => planRetention(store, rules), {
    describe: "the end of the retention time",
    until: ({ remove }) => remove.length === 1,
  });
  await carryOut(store, { ...plan, actor });
  const term = { text: "walrus", isPrefix: false };
  const query = { terms: [term], labels: [], since: null, until: null, before: null };
  assert.deepEqual(await store.findTexts({ ...query, limit: 10 }), []);
  await store.close();
});

test("a damaged index is built again by a search", async (t) => {
  const file = await storeWith(t, ["say walrus"]);
  const before = await openSqliteStore({ file });
  await createSearchIndex(before).catchUp(5_000);
  await before.close();
  change(file, "UPDATE text_terms_data SET block = x'0102' WHERE id > 10");
  const store = await openSqliteStore({ file });
  await assert.rejects(store.checkSearch(), { code: "storeCorrupt" });
  const first = await searchViews(store).search({
    words: "walrus",
    directories: null,
    after: null,
    limit: 5,
  });
  assert.equal(first.isComplete, false);
  assert.equal(await found(store, "walrus"), 1);
  await store.close();
});

test("a session can be deleted while the index is damaged", async (t) => {
  const file = await storeWith(t, ["say walrus"]);
  const before = await openSqliteStore({ file });
  await createSearchIndex(before).catchUp(5_000);
  await before.close();
  change(file, "UPDATE text_terms_data SET block = x'0102' WHERE id > 10");
  const store = await openSqliteStore({ file });
  const actor = { kind: "client", id: "me" } as const;
  const deleted = await store.execute({ command: { type: "session.delete", sessionId, actor } });
  assert.equal(deleted.status, "done");
  await store.checkSearch();
  assert.equal(await found(store, "walrus"), 0);
  await store.close();
});

test("doctor completes an index that is behind, and builds a damaged one again", async (t) => {
  const file = await storeWith(t, ["say walrus"]);
  const store = await openSqliteStore({ file });
  assert.deepEqual(await repairSearch(file), { status: "behind", repaired: false });
  await store.close();
  assert.deepEqual(await repairSearch(file), { status: "behind", repaired: true });
  assert.deepEqual(await repairSearch(file), { status: "complete", repaired: false });
  change(file, "UPDATE text_terms_data SET block = x'0102' WHERE id > 10");
  assert.deepEqual(await repairSearch(file), { status: "damaged", repaired: true });
  const reader = await openSqliteReader({ file });
  await reader.checkSearch();
  await reader.close();
  const again = await openSqliteStore({ file });
  assert.equal(await found(again, "walrus"), 1);
  await again.close();
});

test("doctor finds an index with missing terms, and rebuilds a complete one on request", async (t) => {
  const file = await storeWith(t, ["say walrus"]);
  assert.deepEqual(await repairSearch(file), { status: "behind", repaired: true });
  change(file, "DELETE FROM text_terms WHERE rowid = (SELECT max(id) FROM texts)");
  assert.deepEqual(await repairSearch(file), { status: "damaged", repaired: true });
  assert.deepEqual(await repairSearch(file), { status: "complete", repaired: false });
  const rebuild = { rebuild: true };
  // The check does not find a text that is missing with its terms.
  change(file, "DELETE FROM texts; DELETE FROM text_terms WHERE rowid > 0");
  assert.deepEqual(await repairSearch(file), { status: "complete", repaired: false });
  const store = await openSqliteStore({ file });
  assert.equal(await found(store, "walrus"), 0);
  assert.deepEqual(await repairSearch(file, rebuild), { status: "complete", repaired: false });
  await store.close();
  assert.deepEqual(await repairSearch(file, rebuild), { status: "complete", repaired: true });
  const again = await openSqliteStore({ file });
  assert.equal(await found(again, "walrus"), 1);
  await again.close();
});

/** Damage that FTS5's own check does not notice, and that makes a search find less. */
const silentDamage = {
  "a list of segments that was overwritten with zeros":
    "UPDATE text_terms_data SET block = zeroblob(length(block)) WHERE id = 10",
  "a text whose terms are gone": `
    CREATE TEMP TABLE kept AS SELECT * FROM text_terms_docsize WHERE id = 1;
    DELETE FROM text_terms WHERE rowid = 1;
    INSERT INTO text_terms_docsize SELECT * FROM kept`,
  "terms that are stored with another text": `
    UPDATE text_terms_docsize SET id = 1000 WHERE id = 1;
    UPDATE texts SET id = 1000 WHERE id = 1`,
  "a place that names no session": "UPDATE texts SET lane = lane + 1000 WHERE id = 1",
  "a place with another id": "UPDATE texts SET id = 1000 WHERE id = 1",
};

for (const [name, damage] of Object.entries(silentDamage)) {
  test(`doctor finds ${name}, and builds the index again`, async (t) => {
    const file = await storeWith(t, ["say walrus", "say penguin"]);
    assert.deepEqual(await repairSearch(file), { status: "behind", repaired: true });
    change(file, damage);
    assert.deepEqual(await repairSearch(file), { status: "damaged", repaired: true });
    assert.deepEqual(await repairSearch(file), { status: "complete", repaired: false });
    const store = await openSqliteStore({ file });
    assert.deepEqual([await found(store, "walrus"), await found(store, "penguin")], [1, 1]);
    await store.close();
  });
}

test("the check of the index finds a page that was overwritten with zeros", async (t) => {
  const file = await storeWith(t, ["say walrus"]);
  assert.deepEqual(await repairSearch(file), { status: "behind", repaired: true });
  overwritePage(file, "texts");
  const reader = await openSqliteReader({ file });
  await assert.rejects(reader.checkSearch(), { code: "storeCorrupt" });
  await reader.close();
});

/** Overwrites the first page of a table with zeros. */
function overwritePage(file: string, name: string): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const schema = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name);
  const size = Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
  database.close();
  const disk = openSync(file, "r+");
  writeSync(disk, Buffer.alloc(size), 0, size, (Number(schema?.["rootpage"]) - 1) * size);
  closeSync(disk);
}

test("compaction drops the terms of deleted sessions from the file", async (t) => {
  const file = await storeWith(t, ["say quokkaquokka"]);
  const store = await openSqliteStore({ file });
  assert.equal(await found(store, "quokkaquokka"), 1);
  await store.execute({
    command: { type: "session.delete", sessionId, actor: { kind: "client", id: "me" } },
  });
  await createSearchIndex(store).catchUp(5_000);
  await store.compact();
  await store.close();
  const database = new DatabaseSync(file);
  const blocks = database.prepare("SELECT block FROM text_terms_data").all();
  database.close();
  const text = blocks
    .map(({ block }) => Buffer.from(block instanceof Uint8Array ? block : "").toString("latin1"))
    .join();
  assert.equal(text.includes("quokka"), false);
});
