import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { schemaVersion } from "../../src/store/migrate.ts";
import { migrations } from "../../src/store/postgres/migrations.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { queryOnce, startPostgres } from "../support/postgres.ts";
import type { PostgresServer } from "../support/postgres.ts";
import { audit } from "./audit.ts";
import { openLane, readLog, verdict } from "./lane-client.ts";

let server: PostgresServer;

before(async () => {
  // A standby is named, but commits do not wait for it: an operator should know.
  server = await startPostgres({
    settings: ["synchronous_standby_names=standby", "synchronous_commit=local"],
  });
});

after(() => server.stop());

test("processes that start at the same time on an empty database create one store", async () => {
  const url = await server.createDatabase();
  const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore({ url })));
  try {
    const answers = await Promise.all(stores.map((store) => openLane(store, "s").create()));
    assert.deepEqual(answers.map(verdict), ["done", "done", "done", "done"]);
    for (const store of stores) assert.equal((await openLane(store, "s").events()).length, 1);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
});

test("stores in two schemas of one database are independent", async () => {
  const url = await server.createDatabase();
  const left = await openPostgresStore({ url, schema: "left" });
  const right = await openPostgresStore({ url, schema: 'the "right" one' });
  try {
    await openLane(left, "s").create();
    assert.equal(await right.lane("s"), null);
    await openLane(right, "s").create();
    assert.deepEqual(await audit(right), []);
  } finally {
    await left.close();
    await right.close();
  }
});

test("a database that a newer release has changed incompatibly is refused and not changed", async () => {
  const url = await server.createDatabase();
  await openPostgresStore({ url }).then((store) => store.close());
  const version = schemaVersion(migrations).version + 1;
  await queryOnce(url, `UPDATE holdfast.meta SET version = ${version}, lowest_version = 1`);
  await openPostgresStore({ url }).then((store) => store.close());
  await queryOnce(url, `UPDATE holdfast.meta SET lowest_version = ${version}`);
  await assert.rejects(openPostgresStore({ url }), { code: "storeTooNew" });
  assert.deepEqual(await queryOnce(url, "SELECT version, lowest_version FROM holdfast.meta"), [
    { version, lowest_version: version },
  ]);
});

test("a database of an earlier version gets the indexes for lists", async () => {
  const url = await server.createDatabase();
  await openPostgresStore({ url }).then((store) => store.close());
  const indexes = (): Promise<object[]> =>
    queryOnce(url, "SELECT indexdef FROM pg_indexes WHERE tablename = 'lanes' ORDER BY indexname");
  const made = await indexes();
  await queryOnce(
    url,
    `SET search_path TO holdfast; DROP INDEX lanes_in_order, lanes_in_directory;
     ALTER TABLE lanes DROP COLUMN idle_seq; DROP TABLE accounts, texts, search_mark;
     CREATE INDEX lanes_current ON lanes (session_id) WHERE NOT deleted AND NOT archived;
     UPDATE meta SET version = 3`,
  );
  assert.notDeepEqual(await indexes(), made);
  await openPostgresStore({ url }).then((store) => store.close());
  assert.deepEqual(await indexes(), made);
});

test("a migration that removes something waits for nodes that need it, and no node joins meanwhile", async () => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  try {
    await store.join({ nodeId: "mine", ttl: 60_000 });
    const known = await queryOnce<{ version: number }>(url, "SELECT version FROM holdfast.meta");
    const version = known[0]?.version ?? 0;
    assert.deepEqual(await queryOnce(url, "SELECT node_id, knows FROM holdfast.nodes"), [
      { node_id: "mine", knows: version },
    ]);
    // Do as a program of the next version would: lock the table, check the nodes, and raise the version.
    const next = new Client({ connectionString: url });
    await next.connect();
    await next.query("BEGIN");
    await next.query("SELECT FROM holdfast.meta FOR UPDATE");
    const late = assert.rejects(store.join({ nodeId: "late", ttl: 60_000 }), {
      code: "storeTooNew",
    });
    await next.query("UPDATE holdfast.meta SET version = $1, lowest_version = $1", [version + 1]);
    await next.query("COMMIT");
    await next.end();
    await late;
    assert.deepEqual(await store.renew("mine"), { status: "lost" });
  } finally {
    await store.close();
  }
});

test("a store that cannot be opened reports the reason", async () => {
  const url = await server.createDatabase();
  await assert.rejects(openPostgresStore({ url: `${url}_nowhere` }), { code: "storeInvalid" });
  const nobody = "postgres://postgres@127.0.0.1:1/holdfast";
  // Nothing was sent, so the message does not say that requests may have been stored.
  await assert.rejects(openPostgresStore({ url: nobody }), {
    code: "storeUnavailable",
    message:
      "the database does not answer (connect ECONNREFUSED 127.0.0.1:1); check that it is running and reachable",
  });
  await queryOnce(url, "CREATE SCHEMA holdfast CREATE TABLE lanes (id text)");
  await assert.rejects(openPostgresStore({ url }), { code: "storeInvalid" });
});

test("opening with mustExist does not create a store", async () => {
  const url = await server.createDatabase();
  const refusal = { code: "storeInvalid", message: /there is no store in this database/ };
  await assert.rejects(openPostgresStore({ url, mustExist: true }), refusal);
  const schemas = "SELECT FROM pg_namespace WHERE nspname = 'holdfast'";
  assert.equal((await queryOnce(url, schemas)).length, 0);
  await (await openPostgresStore({ url })).close();
  await (await openPostgresStore({ url, mustExist: true })).close();
});

test("P1: a warning is given if commits do not wait for a standby", async () => {
  const url = await server.createDatabase();
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  await openPostgresStore({ url, onWarning }).then((store) => store.close());
  await queryOnce(
    url,
    "ALTER DATABASE " + new URL(url).pathname.slice(1) + " SET synchronous_commit = off",
  );
  await openPostgresStore({ url, onWarning }).then((store) => store.close());
  assert.deepEqual(
    warnings.map((warning) => warning.split(":")[0]),
    ["a standby is configured, but commits do not wait for it", "synchronous_commit is off"],
  );
});

test("T2: events of a dump that was loaded into a younger cluster are in the feed, and cursors are reset", async () => {
  const url = await server.createDatabase();
  const before = await openPostgresStore({ url });
  const lane = openLane(before, "s");
  await lane.create();
  const { cursor } = await before.feed({ after: null, limit: 10 });
  await lane.accept("p1");
  await before.close();
  await queryOnce(url, "UPDATE holdfast.events SET tx = '4000000000000'");
  const store = await openPostgresStore({ url });
  try {
    assert.equal((await store.feed({ after: cursor, limit: 10 })).status, "reset");
    const page = await store.feed({ after: null, limit: 10 });
    assert.deepEqual(page.status === "events" ? page.events : [], await readLog(store, "s"));
  } finally {
    await store.close();
  }
});

test("T2 P3 a dump loaded into an older cluster works: cursors are valid up to its moment, and later ones are reset", async () => {
  const url = await server.createDatabase();
  const target = await server.createDatabase();
  const original = await openPostgresStore({ url });
  const lane = openLane(original, "s");
  await lane.create();
  await lane.accept("p1");
  const early = await original.feedEnd();
  await lane.accept("p2");
  await openPostgresStore({ url: target }).then((store) => store.close());
  await loadDump(url, target);
  await lane.accept("p3");
  const late = await original.feedEnd();
  await original.close();

  const store = await openPostgresStore({ url: target });
  try {
    const again = openLane(store, "s");
    const sent = await Promise.all(["p2", "p3", "p4"].map((promptId) => again.accept(promptId)));
    assert.deepEqual(sent.map(verdict), ["done", "done", "done"]);
    const log = await readLog(store, "s");
    const page = await store.feed({ after: early, limit: 10 });
    assert.deepEqual(page.status === "events" ? page.events : page.status, log.slice(2));
    assert.deepEqual(await store.feed({ after: late, limit: 10 }), {
      status: "reset",
      cursor: await store.feedEnd(),
    });
    assert.deepEqual(await audit(store), []);
  } finally {
    await store.close();
  }
});

/** As pg_dump and pg_restore do it: all tables as of one moment, then the counters. */
async function loadDump(from: string, to: string): Promise<void> {
  const [settings] = await queryOnce<{ folder: string }>(
    from,
    "SELECT current_setting('data_directory') AS folder",
  );
  const tables = await queryOnce<{ name: string }>(
    from,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'holdfast'",
  );
  const place = (name: string): string => `holdfast.${name} %s '${settings?.folder}/${name}.dump'`;
  const dump = tables.map(({ name }) => `COPY ${place(name).replace("%s", "TO")};`);
  const load = tables.map(({ name }) => `COPY ${place(name).replace("%s", "FROM")};`);
  await queryOnce(from, `BEGIN ISOLATION LEVEL REPEATABLE READ; ${dump.join("")} COMMIT`);
  const made =
    "DELETE FROM holdfast.meta; DELETE FROM holdfast.records; DELETE FROM holdfast.search_mark;";
  await queryOnce(to, `BEGIN; ${made} ${load.join("")} COMMIT`);
  await queryOnce(
    to,
    `SELECT setval(pg_get_serial_sequence('holdfast.events', 'position'), max(position))
      FROM holdfast.events`,
  );
}

test("L5: processes that ended long ago and own nothing are deleted when another joins", async () => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  try {
    await store.join({ nodeId: "dead", ttl: 1000 });
    await store.join({ nodeId: "owner", ttl: 1000 });
    const lane = openLane(store, "s");
    await lane.create();
    await lane.accept("p1");
    await lane.start("run1", { owner: "owner" });
    await queryOnce(url, "UPDATE holdfast.nodes SET expires_at = expires_at - 100000000");
    await store.join({ nodeId: "new", ttl: 1000 });
    const left = await queryOnce(url, "SELECT node_id FROM holdfast.nodes ORDER BY node_id");
    assert.deepEqual(left, [{ node_id: "new" }, { node_id: "owner" }]);
  } finally {
    await store.close();
  }
});
