import type { DatabaseSync } from "node:sqlite";
import type { Body } from "../store.ts";
import { bytes, optional } from "./row.ts";

export function prepareBodyRead(database: DatabaseSync): (hash: string) => Uint8Array | null {
  const select = database.prepare("SELECT content FROM bodies WHERE key = ? AND hash = ?");
  const parts = preparePartsRead(database);
  return (hash) =>
    optional(select.get(keyOf(hash), hash), (row) => {
      const content = bytes(row, "content");
      return content.byteLength === 0 ? parts(hash) : content;
    });
}

/** Prepares a function that stores content unless it is already stored. */
export function prepareBodyWrite(database: DatabaseSync): (body: Body) => void {
  const insert = database.prepare(
    `INSERT INTO bodies (key, hash, content) SELECT ?1, ?2, ?3
     WHERE NOT EXISTS (SELECT 1 FROM bodies WHERE key = ?1 AND hash = ?2)`,
  );
  return ({ hash, content }) => void insert.run(keyOf(hash), hash, content);
}

/** Prepares a function that returns true if the content is stored in parts. */
export function prepareBodyInParts(database: DatabaseSync): (hash: string) => boolean {
  const select = database.prepare(
    "SELECT 1 FROM bodies WHERE key = ? AND hash = ? AND length(content) = 0",
  );
  return (hash) => select.get(keyOf(hash), hash) !== undefined;
}

/** Prepares a function that deletes content by its hash, inside the caller's transaction. */
export function prepareBodyRemoval(database: DatabaseSync): (hash: string) => void {
  const remove = database.prepare("DELETE FROM bodies WHERE key = ? AND hash = ?");
  return (hash) => void remove.run(keyOf(hash), hash);
}

/**
 * Returns 48 bits of the hash, a number that JavaScript represents exactly. Two hashes may share them, so queries
 * also compare the whole hash.
 */
function keyOf(hash: string): number {
  const key = Number.parseInt(hash.slice(0, 12), 16);
  return Number.isNaN(key) ? 0 : key;
}

/** Prepares a function that reads and joins the parts of content; its result is empty if there are none. */
export function preparePartsRead(database: DatabaseSync): (hash: string) => Uint8Array {
  const select = database.prepare("SELECT content FROM parts WHERE hash = ? ORDER BY part");
  return (hash) => Buffer.concat(select.all(hash).map((row) => bytes(row, "content")));
}
