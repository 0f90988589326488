import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestContext } from "node:test";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { queryOnce, sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { openLane, verdict } from "./lane-client.ts";
import { startPooler } from "./pooler/pooler.ts";
import type { PoolerOptions } from "./pooler/pooler.ts";

// `npm run soak -- nodes --pgbouncer` does the same with PgBouncer itself.

let server: SharedPostgres;

before(async () => {
  server = await sharedPostgres();
});

after(() => server.stop());

async function pooled(
  context: TestContext,
  mode: PoolerOptions["mode"],
): Promise<{ url: string; direct: string }> {
  const direct = await server.createDatabase();
  const pooler = await startPooler({ target: server.port, mode });
  context.after(() => pooler.close());
  return { direct, url: direct.replace(`:${server.port}/`, `:${pooler.port}/`) };
}

test("a store behind a pooler in session mode works, and its nodes receive each other's signals", async (t) => {
  const { url } = await pooled(t, "session");
  const stores = await Promise.all([openPostgresStore({ url }), openPostgresStore({ url })]);
  try {
    const [one, other] = stores;
    const heard = new Promise<string>((resolve) => {
      other.watch((signal) => {
        if (signal.kind === "lane") resolve(signal.sessionId);
      });
    });
    assert.equal(verdict(await openLane(one, "s").create()), "done");
    assert.equal(await heard, "s");
  } finally {
    for (const store of stores) await store.close();
  }
});

test("a pooler in transaction mode is refused with the reason, and leaves nothing behind", async (t) => {
  const { url, direct } = await pooled(t, "transaction");
  await assert.rejects(openPostgresStore({ url }), {
    code: "storeInvalid",
    message: /gives each transaction another connection.*`pool_mode = session`/,
  });
  const [left] = await queryOnce(
    direct,
    `SELECT (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory'
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS locks,
        (SELECT count(*)::int FROM pg_namespace WHERE nspname = 'holdfast') AS schemas`,
  );
  assert.deepEqual(left, { locks: 0, schemas: 0 });
  const [path] = await queryOnce<{ search_path: string; statement_timeout: string }>(
    url,
    "SELECT current_setting('search_path') AS search_path, current_setting('statement_timeout') AS statement_timeout",
  );
  assert.deepEqual(path, { search_path: '"$user", public', statement_timeout: "0" });
});

test("the error message of a pooler that refuses connections is shown", async (t) => {
  const { url } = await pooled(t, "full");
  await assert.rejects(openPostgresStore({ url }), {
    code: "storeUnavailable",
    message:
      /does not answer \(PostgreSQL 08P01: no more connections allowed \(max_client_conn\)\)/,
  });
});

test("a migration that ends in the middle releases its lock, even if its connection stays", async (t) => {
  const { url, direct } = await pooled(t, "session");
  // Another schema of this name makes the migration fail.
  await queryOnce(direct, "CREATE SCHEMA holdfast CREATE TABLE lanes (id text)");
  await assert.rejects(openPostgresStore({ url }), { code: "storeInvalid" });
  await queryOnce(direct, "DROP SCHEMA holdfast CASCADE");
  await openPostgresStore({ url: direct }).then((store) => store.close());
});
