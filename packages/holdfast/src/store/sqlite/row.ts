import type { SQLOutputValue } from "node:sqlite";

/** A row as node:sqlite gives it, and its columns by the type that the schema says they have. */
export type SqlRow = Record<string, SQLOutputValue>;

export function text(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new TypeError(`column ${column} holds no text`);
}

export function optionalText(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function whole(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  throw new TypeError(`column ${column} holds no number`);
}

export function optionalWhole(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : whole(row, column);
}

export function bytes(row: SqlRow, column: string): Uint8Array {
  const value = row[column];
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`column ${column} holds no bytes`);
}

export function optional<Value>(
  row: SqlRow | undefined,
  read: (row: SqlRow) => Value,
): Value | null {
  return row === undefined ? null : read(row);
}
