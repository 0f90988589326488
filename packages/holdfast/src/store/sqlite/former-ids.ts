import type { DatabaseSync } from "node:sqlite";
import { text } from "./row.ts";

// A store restored from a backup shares its log with the original store up to a position. Cursors of the
// original are valid up to that position.

const prefix = "former_id ";

/**
 * Stores from which this store was copied, by id. The value is the last log position that both stores have in common.
 */
export type FormerIds = ReadonlyMap<string, number>;

export function readFormerIds(database: DatabaseSync): FormerIds {
  const rows = database
    .prepare("SELECT key, value FROM meta WHERE substr(key, 1, length(?1)) = ?1")
    .all(prefix);
  return new Map(
    rows.map((row) => [text(row, "key").slice(prefix.length), Number(text(row, "value"))]),
  );
}

/** Records the current store id as a former id. The caller then gives the store a new id. */
export function addFormerId(database: DatabaseSync): void {
  database
    .prepare(
      `INSERT INTO meta (key, value)
       SELECT ? || value, (SELECT coalesce(max(position), 0) FROM events)
       FROM meta WHERE key = 'store_id'`,
    )
    .run(prefix);
}
