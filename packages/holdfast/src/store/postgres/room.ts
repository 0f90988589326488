import type { BodyRemoval, StoreSize } from "../store.ts";
import { StoreClient, connectionConfig, prepareConnection } from "./connection.ts";
import type { Database, Rows } from "./database.ts";
import { storeErrorOf } from "./errors.ts";
import { readFeed } from "./feed.ts";
import type { Settings } from "./options.ts";

export async function readSize(database: Database): Promise<StoreSize> {
  const [row] = await database.rows<{ bytes: number }>({
    text: `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_class
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
  });
  return { bytes: row?.bytes ?? 0, freeBytes: null };
}

/**
 * Deletes stored content. Storing content locks the table until commit, even if the content already exists. So once
 * this function has the lock, no commit is in flight that needs the deleted content.
 */
export async function removeBodies(
  database: Database,
  removal: BodyRemoval & { storeId: string },
): Promise<boolean> {
  const { hashes, since, storeId } = removal;
  return database.retrying(() =>
    database.withClient(async (client) => {
      await client.query("BEGIN");
      try {
        await client.query("LOCK TABLE bodies IN EXCLUSIVE MODE");
        const transaction: Rows = {
          rows: async (statement) => (await client.query(statement)).rows,
        };
        const later = await readFeed(transaction, { storeId, page: { after: since, limit: 1 } });
        const isUnchanged = later.status === "events" && later.events.length === 0;
        if (isUnchanged) {
          await client.query({
            text: "DELETE FROM bodies WHERE hash = ANY ($1::text[])",
            values: [hashes],
          });
        }
        await client.query("COMMIT");
        return isUnchanged;
      } catch (error) {
        // A broken connection rolls back by itself. The original error is thrown.
        await client.query("ROLLBACK").catch(() => {});
        throw error;
      }
    }),
  );
}

const tables = [
  "lanes",
  "accounts",
  "events",
  "prompts",
  "asks",
  "cancels",
  "bodies",
  "nodes",
  "records",
  "uploads",
  "texts",
];

/**
 * Makes freed space reusable for later writes. Only VACUUM FULL would return it to the disk, but it locks the tables.
 * Uses its own connection without a statement timeout, because large tables take long.
 */
export async function compactTables(settings: Settings): Promise<void> {
  const client = new StoreClient({ ...connectionConfig(settings), query_timeout: 0 });
  // Ignore the event: the running statement fails with the same error.
  client.on("error", () => {});
  try {
    await client.connect();
    await prepareConnection(client, settings, { statement: 0 });
    for (const table of tables) await client.query(`VACUUM (ANALYZE) ${table}`);
  } catch (error) {
    throw storeErrorOf(error);
  } finally {
    // The vacuum is done or has failed, so errors while closing do not matter.
    await client.end().catch(() => {});
  }
}
