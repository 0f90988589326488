import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../store-error.ts";
import { isBusy, storeErrorOf } from "./errors.ts";
import { closeSync, existsSync, openSync } from "node:fs";

export interface OwnerLock {
  release(): void;
}

/**
 * Makes this process the only owner of a database, with a lock on a separate file. Other processes can still read the
 * database.
 */
export function takeOwnerLock(file: string): OwnerLock {
  const lock = takeLock(`${file}-lock`);
  if (lock !== null) return lock;
  throw new StoreError(
    "storeOwned",
    `another Holdfast process is using ${file}; send requests to it, or stop it and try again`,
  );
}

/**
 * Locks a file with an exclusive transaction. Returns null if another process has the lock. The operating system
 * releases the lock when the process ends, so it is never stale.
 */
export function takeLock(lockFile: string): OwnerLock | null {
  let database: DatabaseSync | null = null;
  try {
    makePrivateFile(lockFile);
    database = new DatabaseSync(lockFile, { timeout: 0 });
    // This write is never committed. It fails if the file is read-only. Without it, SQLite would take only a read lock
    // on such a file, and several processes could own the store.
    database.exec(`
      PRAGMA journal_mode = OFF;
      BEGIN EXCLUSIVE;
      CREATE TABLE IF NOT EXISTS owner (id INTEGER);
    `);
  } catch (error) {
    database?.close();
    if (isBusy(error)) return null;
    throw storeErrorOf(error, lockFile);
  }
  const held = database;
  return { release: () => held.close() };
}

/**
 * Creates a database file that only its owner can read, before SQLite creates it with the umask. SQLite gives
 * its extra files the same mode. An existing file is not opened: closing it here would release this process's
 * locks on it.
 */
export function makePrivateFile(file: string): void {
  if (existsSync(file)) return;
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // The file exists already or cannot be created. In the second case SQLite reports the reason.
  }
}
