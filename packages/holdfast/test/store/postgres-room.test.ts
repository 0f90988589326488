import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { queryOnce, sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { audit } from "./audit.ts";
import { openLane, verdict } from "./lane-client.ts";
import { startProxy } from "./postgres-chaos/proxy.ts";
import { untilWaiting } from "./waiting-statements.ts";

let server: SharedPostgres;

before(async () => {
  server = await sharedPostgres();
});

after(() => server.stop());

test("P1 no body is removed while a commit in progress refers to it", async (t) => {
  const url = await server.createDatabase();
  const [store, other] = await Promise.all([
    openPostgresStore({ url }),
    openPostgresStore({ url }),
  ]);
  const inTheWay = new Client({ connectionString: url });
  await inTheWay.connect();
  t.after(() => Promise.all([inTheWay.end(), store.close(), other.close()]));
  const lane = openLane(store, "s");
  await lane.create();
  await lane.accept("p1", { text: "one" });
  const hash = (await lane.row("p1")).body ?? "";
  const since = await other.feedEnd();

  await inTheWay.query("BEGIN");
  await inTheWay.query("INSERT INTO holdfast.prompts VALUES ('s', 'p2', 99, '{}')");
  const accepting = lane.accept("p2", { text: "one" });
  await untilWaiting(url, 1);
  const removing = other.removeBodies({ hashes: [hash], since });
  await Promise.race([removing, untilWaiting(url, 2)]);
  await inTheWay.query("ROLLBACK");

  assert.equal(verdict(await accepting), "done");
  assert.equal(await removing, false);
  assert.deepEqual(await audit(other), []);
  // Read with the other process: the one that stored it could answer from its memory.
  assert.notEqual(await other.body(hash), null);
});

test("compacting frees space in every table that grows with sessions, and updates the statistics", async (t) => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  t.after(() => store.close());
  await store.compact();
  const left = await queryOnce(
    url,
    `SELECT relname FROM pg_stat_user_tables
      WHERE schemaname = 'holdfast' AND relname NOT IN ('meta', 'search_mark')
        AND (last_vacuum IS NULL OR last_analyze IS NULL)`,
  );
  assert.deepEqual(left, []);
});

test("compacting fails as unavailable if its connection breaks, and the store still works", async (t) => {
  const url = await server.createDatabase();
  const proxy = await startProxy(server.port);
  const far = new URL(url);
  far.port = String(proxy.port);
  const store = await openPostgresStore({ url: far.href });
  const inTheWay = new Client({ connectionString: url });
  await inTheWay.connect();
  t.after(async () => {
    await Promise.all([inTheWay.end(), store.close()]);
    await proxy.close();
  });
  await inTheWay.query("BEGIN");
  await inTheWay.query("LOCK TABLE holdfast.lanes IN SHARE UPDATE EXCLUSIVE MODE");
  const unavailable = { name: "StoreError", code: "storeUnavailable" };
  const compacting = assert.rejects(store.compact(), unavailable);
  await untilWaiting(url, 1);
  proxy.cutAll();
  await compacting;
  await inTheWay.query("ROLLBACK");
  await store.compact();
});
