import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { repairSearch, searchText } from "../../src/compose/search-repair.ts";
import { searchViews } from "../../src/runtime/views/search.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { queryOnce, sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { openLane } from "./lane-client.ts";

let server: SharedPostgres;

before(async () => {
  server = await sharedPostgres();
});

after(() => server.stop());

test("doctor completes an index on PostgreSQL that is behind, and builds a damaged one again", async () => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  const lane = openLane(store, "main");
  await lane.create();
  await lane.accept("p", { text: JSON.stringify({ text: "say walrus" }) });
  const found = async (): Promise<number> => {
    const query = { words: "walrus", directories: null, after: null, limit: 5 };
    return (await searchViews(store).search(query)).hits.length;
  };
  try {
    assert.deepEqual(await repairSearch(url), { status: "behind", repaired: true });
    assert.deepEqual(await repairSearch(url), { status: "complete", repaired: false });
    await queryOnce(url, "DROP INDEX holdfast.texts_terms");
    await assert.rejects(store.checkSearch(), { code: "storeCorrupt" });
    assert.deepEqual(await repairSearch(url), { status: "damaged", repaired: true });
    await store.checkSearch();
    assert.equal(await found(), 1);
    // A mark that this database never had, as after a restore of a backup.
    await queryOnce(url, "UPDATE holdfast.search_mark SET mark = 'elsewhere'");
    const check = await repairSearch(url);
    assert.deepEqual(check, { status: "restored", repaired: true });
    assert.match(searchText(check), /came with a restored backup and has been rebuilt/);
    assert.equal(await found(), 1);
    await queryOnce(url, "UPDATE holdfast.search_mark SET mark = 'elsewhere'");
    assert.equal(await found(), 1, "a search repairs the index by itself");
  } finally {
    await store.close();
  }
});
