import { escapeIdentifier } from "pg";
import type { Client } from "pg";
import { planMigrations } from "../migrate.ts";
import type { Migration } from "../migrate.ts";
import { StoreError } from "../store-error.ts";
import { StoreClient, connectionConfig, prepareConnection } from "./connection.ts";
import { migrations } from "./migrations.ts";
import type { Settings } from "./options.ts";
import { expectOwnSession } from "./pooler.ts";

/** Migrates the schema and returns the store's id. If several nodes start at once, one of them migrates. */
export async function migrate(settings: Settings): Promise<string> {
  // Set no timeouts: this connection may wait for another node's migration, and its own migration may take long.
  const client = new StoreClient({ ...connectionConfig(settings), query_timeout: 0 });
  // Ignore the event: the running statement fails with the same error.
  client.on("error", () => {});
  try {
    await client.connect();
    // First check that no connection pooler in transaction mode is used. Such a pooler would apply the settings of this
    // connection to other clients too.
    await expectOwnSession(client, settings);
    await prepareConnection(client, settings, { statement: 0, lock: 0 });
    for (;;) {
      const storeId = await inTransaction(client, () => advance(client, settings));
      if (storeId !== null) return storeId;
    }
  } finally {
    // The migration is done or has failed, so errors while closing do not matter.
    await client.end().catch(() => {});
  }
}

/**
 * Applies the next migration. If there is none, returns the store's id. An empty schema gets all migrations at once,
 * because no other node uses it yet.
 */
async function advance(client: Client, { schema, mustExist }: Settings): Promise<string | null> {
  // PostgreSQL releases this lock at the end of the transaction, so it cannot outlive a lost connection,
  // not even in a pooler that keeps the connection.
  await client.query({
    text: "SELECT pg_advisory_xact_lock(hashtextextended('holdfast:' || $1, 0))",
    values: [schema],
  });
  if (mustExist) await expectStore(client, schema);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(schema)}`);
  const found = await foundVersion(client);
  const missing = planMigrations(migrations, found);
  if (missing.length === 0) {
    await adoptRestored(client);
    const { rows } = await client.query<{ store_id: string }>("SELECT store_id FROM meta");
    return rows[0]?.store_id ?? "";
  }
  for (const migration of found === null ? missing : missing.slice(0, 1)) {
    if (found !== null) await expectNobodyBelow(client, migration);
    await client.query(migration.sql);
    await client.query({
      text: `
        INSERT INTO meta (version, lowest_version) VALUES ($1, $2)
        ON CONFLICT (only_row) DO UPDATE
        SET version = excluded.version, lowest_version = excluded.lowest_version`,
      values: [migration.version, migration.lowestVersion],
    });
  }
  return null;
}

async function inTransaction<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query("BEGIN");
  const result = await work();
  await client.query("COMMIT");
  return result;
}

async function expectStore(client: Client, schema: string): Promise<void> {
  const { rowCount } = await client.query({
    text: "SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'meta'",
    values: [schema],
  });
  if (rowCount === 1) return;
  throw new StoreError(
    "storeInvalid",
    `there is no store in this database (schema ${schema}); check the address, or start a server on it`,
  );
}

async function foundVersion(
  client: Client,
): Promise<{ version: number; lowestVersion: number } | null> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema AND tablename = 'meta') AS found",
  );
  if (tables[0]?.found !== true) return null;
  const { rows } = await client.query<{ version: number; lowest_version: number }>(
    "SELECT version, lowest_version FROM meta",
  );
  const [row] = rows;
  return row === undefined ? null : { version: row.version, lowestVersion: row.lowest_version };
}

/**
 * Refuses a migration that removes something that a live node still needs. While the `meta` row is locked no node can
 * join; a node that waits to join checks the schema version afterwards.
 */
async function expectNobodyBelow(client: Client, migration: Migration): Promise<void> {
  const { version, lowestVersion } = migration;
  const { rows } = await client.query<{ lowest_version: number }>(
    "SELECT lowest_version FROM meta FOR UPDATE",
  );
  if (lowestVersion <= (rows[0]?.lowest_version ?? 0)) return;
  const { rows: older } = await client.query<{ node_id: string; knows: number }>(
    `SELECT node_id, knows FROM nodes
      WHERE ended_at IS NULL AND expires_at > holdfast_now() AND knows < $1 ORDER BY node_id`,
    [lowestVersion],
  );
  if (older.length === 0) return;
  const names = older.map(({ node_id: id, knows }) => `${id} (supports ${knows})`).join(", ");
  throw new StoreError(
    "storeInUse",
    `schema version ${version} cannot be applied while nodes of older releases are running: ` +
      `${names}. Upgrade them to a release that supports schema version ${lowestVersion}, or stop them first`,
  );
}

/**
 * Repairs a store that was restored from a dump into a new PostgreSQL cluster. Its events may have transaction ids that
 * the new cluster has not reached yet, so all events get the id 1. The store gets a new id, because existing feed
 * cursors are no longer valid.
 */
async function adoptRestored(client: Client): Promise<void> {
  const { rows } = await client.query<{ restored: boolean }>(`
    SELECT EXISTS (SELECT FROM events
      WHERE tx >= pg_snapshot_xmax(pg_current_snapshot())) AS restored`);
  if (rows[0]?.restored !== true) return;
  await client.query(`
    WITH other_store AS (UPDATE meta SET store_id = gen_random_uuid())
    UPDATE events SET tx = '1'`);
}
