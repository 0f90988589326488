import type { DatabaseSync } from "node:sqlite";
import type { BodyRemoval, StoreSize } from "../store.ts";
import { prepareBodyRemoval } from "./bodies.ts";
import { readCursor } from "./feed-cursor.ts";
import type { Parts } from "./parts.ts";
import type { Reads } from "./reads.ts";
import { whole } from "./row.ts";

export function prepareSize(database: DatabaseSync): () => StoreSize {
  const pragmas = ["page_size", "page_count", "freelist_count"] as const;
  const [pageSize, pages, free] = pragmas.map((name) => {
    const statement = database.prepare(`PRAGMA ${name}`);
    return () => whole(statement.get() ?? {}, name);
  });
  return () => {
    const size = pageSize?.() ?? 0;
    return { bytes: size * (pages?.() ?? 0), freeBytes: size * (free?.() ?? 0) };
  };
}

/**
 * Operations that free disk space, each in its own transaction. Only the process that owns the database may call them.
 */
export interface RoomWrites {
  removeBodies(removal: BodyRemoval): boolean;
  compact(): void;
}

/** Merges the parts of the search index. Only this drops the terms of removed texts. */
function mergeTerms(database: DatabaseSync): void {
  try {
    database.exec("INSERT INTO text_terms (text_terms) VALUES ('optimize')");
  } catch {
    // The index is damaged. The next search or `holdfast doctor` builds it again.
  }
}

export function prepareRoomWrites(
  database: DatabaseSync,
  { reads, parts }: { reads: Reads; parts: Parts },
): RoomWrites {
  const remove = prepareBodyRemoval(database);
  return {
    removeBodies({ hashes, since }) {
      // Only this process writes, and this code is synchronous: nothing can change between check and removal.
      if (readCursor(since)?.position !== reads.end()) return false;
      database.exec("BEGIN IMMEDIATE");
      try {
        for (const hash of hashes) {
          remove(hash);
          parts.tidy(hash);
        }
        database.exec("COMMIT");
        return true;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    compact() {
      mergeTerms(database);
      database.exec("VACUUM");
      // Moves the write-ahead log into the database file and empties it.
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    },
  };
}
