import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../store-error.ts";
import { isBusy, storeErrorOf } from "./errors.ts";
import { closeSync, existsSync, openSync } from "node:fs";

export interface OwnerLock {
  release(): void;
}

/**
 * Makes this process the one owner of a database: an exclusive transaction, held open on a file of
 * its own, so that reading tools still work on the main one. The system drops the lock with the
 * process, however that ends, so that it is never stale.
 */
export function takeOwnerLock(file: string): OwnerLock {
  const lockFile = `${file}-lock`;
  let database: DatabaseSync | null = null;
  try {
    makePrivateFile(lockFile);
    database = new DatabaseSync(lockFile, { timeout: 0 });
    // A write, never committed: on a file that can't be written, SQLite would lock for reading only.
    database.exec(`
      PRAGMA journal_mode = OFF;
      BEGIN EXCLUSIVE;
      CREATE TABLE IF NOT EXISTS owner (id INTEGER);
    `);
  } catch (error) {
    database?.close();
    if (!isBusy(error)) throw storeErrorOf(error, lockFile);
    throw new StoreError(
      "storeOwned",
      `another process works on ${file}; send requests to it, or stop it and try again`,
      error,
    );
  }
  const held = database;
  return { release: () => held.close() };
}

/**
 * Makes a database's file for its owner alone, before SQLite makes it as the umask says; what SQLite
 * puts beside it gets the same mode. One that is there is left alone: closing it here would drop the
 * locks that this process has on it.
 */
export function makePrivateFile(file: string): void {
  if (existsSync(file)) return;
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // It is there by now, or can't be made: SQLite will say why.
  }
}
