import type { DatabaseSync } from "node:sqlite";
import { recordText } from "../record.ts";
import type { Page, RecordWrite, RecordWritten, StoredRecord } from "../store.ts";
import { optional, text, whole } from "./row.ts";
import type { SqlRow } from "./row.ts";

export interface RecordReads {
  get(key: { kind: string; id: string }): StoredRecord | null;
  list(kind: string, page: Page<string>): StoredRecord[];
}

export function prepareRecordReads(database: DatabaseSync): RecordReads {
  const select = database.prepare("SELECT * FROM records WHERE kind = ? AND id = ?");
  const list = database.prepare(
    "SELECT * FROM records WHERE kind = ? AND id > ? ORDER BY id LIMIT ?",
  );
  return {
    get: ({ kind, id }) => optional(select.get(kind, id), readRecord),
    list: (kind, { after, limit }) => list.all(kind, after ?? "", limit).map(readRecord),
  };
}

/** The caller may run several writes in one transaction. */
export interface RecordWrites {
  put(write: RecordWrite, now: number): RecordWritten;
  remove(key: { kind: string; id: string }): boolean;
}

export function prepareRecordWrites(database: DatabaseSync): RecordWrites {
  const reads = prepareRecordReads(database);
  const insert = database.prepare(
    `INSERT INTO records (kind, id, version, value, updated_at) VALUES (?, ?, 1, ?, ?)
     ON CONFLICT (kind, id) DO NOTHING RETURNING *`,
  );
  const update = database.prepare(
    `UPDATE records SET version = version + 1, value = ?3, updated_at = ?4
     WHERE kind = ?1 AND id = ?2 AND version = ?5 RETURNING *`,
  );
  const remove = database.prepare("DELETE FROM records WHERE kind = ? AND id = ?");
  return {
    put(write, now) {
      const { kind, id, version } = write;
      const value = recordText(write);
      const row =
        version === null
          ? insert.get(kind, id, value, now)
          : update.get(kind, id, value, now, version);
      if (row === undefined) return { status: "conflict", record: reads.get(write) };
      return { status: "stored", record: readRecord(row) };
    },
    remove: ({ kind, id }) => remove.run(kind, id).changes === 1,
  };
}

function readRecord(row: SqlRow): StoredRecord {
  return {
    kind: text(row, "kind"),
    id: text(row, "id"),
    version: whole(row, "version"),
    value: JSON.parse(text(row, "value")),
    updatedAt: whole(row, "updated_at"),
  };
}
