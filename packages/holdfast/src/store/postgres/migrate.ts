import { Client, escapeIdentifier } from "pg";
import { planMigrations } from "../migrate.ts";
import type { Migration } from "../migrate.ts";
import { StoreError } from "../store-error.ts";
import { connectionConfig, useSchema } from "./connection.ts";
import { migrations } from "./migrations.ts";
import type { Settings } from "./options.ts";

/** Brings the schema up to date and gives the store's id. Of nodes that start at once, one works. */
export async function migrate(settings: Settings): Promise<string> {
  const { schema } = settings;
  // Another node's migration is waited for, and one's own may take long.
  const client = new Client({
    ...connectionConfig(settings),
    statement_timeout: 0,
    lock_timeout: 0,
    query_timeout: 0,
  });
  // The statement that is running fails with the same error.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query({
      text: "SELECT pg_advisory_lock(hashtextextended('holdfast:' || $1, 0))",
      values: [schema],
    });
    if (settings.mustExist) await expectStore(client, schema);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(schema)}`);
    await useSchema(client, schema);
    const found = await foundVersion(client);
    for (const migration of planMigrations(migrations, found)) {
      await client.query("BEGIN");
      if (found !== null) await expectNobodyBelow(client, migration);
      await client.query(migration.sql);
      await client.query({
        text: `
          INSERT INTO meta (version, lowest_version) VALUES ($1, $2)
          ON CONFLICT (only_row) DO UPDATE
          SET version = excluded.version, lowest_version = excluded.lowest_version`,
        values: [migration.version, migration.lowestVersion],
      });
      await client.query("COMMIT");
    }
    await adoptRestored(client);
    const { rows } = await client.query<{ store_id: string }>("SELECT store_id FROM meta");
    return rows[0]?.store_id ?? "";
  } finally {
    // The advisory lock ends with the connection.
    await client.end();
  }
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
 * What takes something away from nodes that live waits for their end. While the row of `meta` is
 * locked nobody joins, and whoever waits for that finds out afterwards what has become of the schema.
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
  const names = older.map(({ node_id: id, knows }) => `${id} (knows ${knows})`).join(", ");
  throw new StoreError(
    "storeInUse",
    `schema version ${version} takes away what nodes of older programs need, and some are at work: ` +
      `${names}. Upgrade them to a release that knows version ${lowestVersion}, or stop them first`,
  );
}

/**
 * Events whose transactions are still to come: a dump was loaded into a younger cluster. They count
 * as old ones, and what readers of the feed had is of another store.
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
