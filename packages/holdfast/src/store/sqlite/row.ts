import type { SQLOutputValue } from "node:sqlite";

/** A row of node:sqlite, and typed access to its columns. */
export type SqlRow = Record<string, SQLOutputValue>;

export function text(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new TypeError(`column ${column} does not contain text`);
}

export function optionalText(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function whole(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  throw new TypeError(`column ${column} does not contain a number`);
}

export function optionalWhole(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : whole(row, column);
}

export function bytes(row: SqlRow, column: string): Uint8Array {
  const value = row[column];
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`column ${column} does not contain bytes`);
}

export function optional<Value>(
  row: SqlRow | undefined,
  read: (row: SqlRow) => Value,
): Value | null {
  return row === undefined ? null : read(row);
}

/**
 * Builds a query that reads a part of one session's log in order. The table `log` lists the older events, and the
 * column `recent` of the session's row lists the newest. Both are read only as far as the limit requires.
 */
export function inOrder(query: { select: string; from: string; where: string }): string {
  const { select, from, where } = query;
  return `
    SELECT log.seq AS seq, ${select} FROM log CROSS JOIN ${from}
    WHERE log.lane = :lane AND log.seq > :after AND events.position = log.position AND ${where}
    UNION ALL
    SELECT events.seq, ${select}
    FROM lanes CROSS JOIN json_each(lanes.recent) AS place CROSS JOIN ${from}
    WHERE lanes.lane = :lane AND events.position = place.value AND events.seq > :after AND ${where}
    ORDER BY seq LIMIT :limit`;
}
