import { closeSync, constants, existsSync, openSync } from "node:fs";
import { access } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isMissing, makeFolder } from "./folders.ts";
import { sleep, systemClock } from "./time.ts";
import type { Clock } from "./time.ts";

export interface FileLock {
  release(): void;
}

/** Milliseconds between two attempts to get a lock. */
const retryEvery = 20;

/**
 * Runs the work while no other process works on the same file under this lock. Without it, two processes that read,
 * change and write a file lose one of the changes. Creates a lock file next to the file. If the lock is not free after
 * `milliseconds`, returns the result of `late`, which may throw.
 */
export async function withFileLock<Result, Late>(
  file: string,
  work: () => Promise<Result>,
  options: { readonly milliseconds: number; readonly late: () => Late; readonly clock?: Clock },
): Promise<Result | Late> {
  const { milliseconds, late, clock = systemClock } = options;
  await makeWritable(dirname(file));
  const since = clock.monotonic();
  for (;;) {
    const lock = takeFileLock(`${file}-lock`);
    if (lock !== null) {
      try {
        return await work();
      } finally {
        lock.release();
      }
    }
    if (clock.monotonic() - since >= milliseconds) return late();
    await sleep(retryEvery, { clock });
  }
}

/**
 * Locks a file with an exclusive SQLite transaction. Returns null if another process, or other code of this process,
 * has the lock. The operating system releases the lock when the process ends, so it is never stale.
 */
export function takeFileLock(lockFile: string): FileLock | null {
  let database: DatabaseSync | null = null;
  try {
    makePrivateFile(lockFile);
    database = new DatabaseSync(lockFile, { timeout: 0 });
    // This write is never committed. It fails if the file is read-only. Without it, SQLite would take only a read lock
    // on such a file, and several processes could have the lock.
    database.exec(`
      PRAGMA journal_mode = OFF;
      BEGIN EXCLUSIVE;
      CREATE TABLE IF NOT EXISTS owner (id INTEGER);
    `);
  } catch (error) {
    database?.close();
    if (isBusy(error)) return null;
    throw error;
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

/** Creates the folder if it is missing. Throws an error of the file system if this user may not write there. */
async function makeWritable(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolder(folder, 0o700);
  }
}

/** Result codes of SQLite (https://sqlite.org/rescode.html) for a locked file. */
const busyCodes: readonly number[] = [5, 6];

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  return typeof error.errcode === "number" && busyCodes.includes(error.errcode & 0xff);
}
