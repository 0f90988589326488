import { randomUUID } from "node:crypto";
import { checkLimit } from "../limits.ts";
import { recordText } from "../record.ts";
import type { Page, RecordWrite, RecordWritten, StoredRecord } from "../store.ts";
import type { Database } from "./database.ts";
import { storable } from "./lane-read.ts";

interface RecordKey {
  readonly kind: string;
  readonly id: string;
}

export async function readRecord(
  database: Database,
  { kind, id }: RecordKey,
): Promise<StoredRecord | null> {
  const [row] = await database.rows<RecordRow>({
    text: "SELECT * FROM records WHERE kind = $1 AND id = $2",
    values: [storable(kind), storable(id)],
  });
  return row === undefined ? null : recordOf(row);
}

export async function readRecords(
  database: Database,
  read: { kind: string; page: Page<string> },
): Promise<StoredRecord[]> {
  const { kind, page } = read;
  const rows = await database.rows<RecordRow>({
    text: "SELECT * FROM records WHERE kind = $1 AND id > $2 ORDER BY id LIMIT $3",
    values: [storable(kind), storable(page.after ?? ""), checkLimit(page.limit)],
  });
  return rows.map(recordOf);
}

/** Writes a record. A retry after a lost answer finds its own write by the write id and changes nothing. */
export async function putRecord(database: Database, write: RecordWrite): Promise<RecordWritten> {
  const { kind, id, version } = write;
  const [row] = await database.rows<RecordRow>({
    text:
      version === null
        ? `INSERT INTO records AS old (kind, id, value, write_id, version, updated_at)
           VALUES ($1, $2, $3, $4, $5::bigint + 1, holdfast_now())
           ON CONFLICT (kind, id) DO UPDATE SET version = old.version WHERE old.write_id = $4
           RETURNING *`
        : `UPDATE records AS old SET
             value = $3, write_id = $4, version = $5::bigint + 1,
             updated_at = CASE write_id WHEN $4 THEN updated_at ELSE holdfast_now() END
           WHERE kind = $1 AND id = $2 AND (version = $5 OR write_id = $4)
           RETURNING *`,
    values: [kind, id, recordText(write), randomUUID(), version ?? 0],
  });
  if (row === undefined) return { status: "conflict", record: await readRecord(database, write) };
  return { status: "stored", record: recordOf(row) };
}

export async function removeRecord(database: Database, { kind, id }: RecordKey): Promise<boolean> {
  const rows = await database.rows({
    text: "DELETE FROM records WHERE kind = $1 AND id = $2 RETURNING id",
    values: [storable(kind), storable(id)],
  });
  return rows.length === 1;
}

interface RecordRow {
  readonly kind: string;
  readonly id: string;
  readonly version: number;
  readonly value: unknown;
  readonly updated_at: number;
}

function recordOf(row: RecordRow): StoredRecord {
  const { kind, id, version, value, updated_at: updatedAt } = row;
  return { kind, id, version, value, updatedAt };
}
