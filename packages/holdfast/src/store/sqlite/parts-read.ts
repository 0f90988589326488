import type { DatabaseSync } from "node:sqlite";
import { bytes } from "./row.ts";

/** A content out of its parts; empty if there are none. */
export function preparePartsRead(database: DatabaseSync): (hash: string) => Uint8Array {
  const select = database.prepare("SELECT content FROM parts WHERE hash = ? ORDER BY part");
  return (hash) => Buffer.concat(select.all(hash).map((row) => bytes(row, "content")));
}
