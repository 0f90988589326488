import type { DatabaseSync } from "node:sqlite";
import { text } from "./row.ts";

// A store that began as a backup has the log of the store that it is a copy of, up to a position:
// cursors of that one are good up to there.

const prefix = "former_id ";

/** The last position that the store shares with the one that had this id. */
export type FormerIds = ReadonlyMap<string, number>;

export function readFormerIds(database: DatabaseSync): FormerIds {
  const rows = database
    .prepare("SELECT key, value FROM meta WHERE substr(key, 1, length(?1)) = ?1")
    .all(prefix);
  return new Map(
    rows.map((row) => [text(row, "key").slice(prefix.length), Number(text(row, "value"))]),
  );
}

/** Notes that from here on the store with the present id is another one. */
export function addFormerId(database: DatabaseSync): void {
  database
    .prepare(
      `INSERT INTO meta (key, value)
       SELECT ? || value, (SELECT coalesce(max(position), 0) FROM events)
       FROM meta WHERE key = 'store_id'`,
    )
    .run(prefix);
}
