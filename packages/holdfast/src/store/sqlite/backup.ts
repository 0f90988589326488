import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { DatabaseSync, backup } from "node:sqlite";
import { makePrivateFile } from "../../base/file-lock.ts";
import { StoreError } from "../store-error.ts";
import { openForReading } from "./connection.ts";
import { storeErrorOf } from "./errors.ts";
import { addFormerId } from "./former-ids.ts";

/** Database pages per step. Between two steps the process can do other work. */
const pagesPerStep = 1000;

export interface CanBackUp {
  /** Copies the current store into a new file. Resolves when the copy is safely on disk. */
  backup(file: string): Promise<void>;
}

/**
 * Copies the current store into a new file and syncs it to disk, while the owner of the store continues. The file gets
 * its name only when it is complete. Works in any process that may read the database.
 */
export async function backUp(from: { file: string; to: string }): Promise<void> {
  const to = resolve(from.to);
  if (existsSync(to)) {
    throw new StoreError("storeInvalid", `${to} already exists; choose a new file for the backup`);
  }
  const partial = `${to}.partial`;
  try {
    await remove(partial);
    makePrivateFile(partial);
    await copyMoment(from.file, partial);
    finishCopy(partial);
    await sync(partial);
    await rename(partial, to);
    await sync(dirname(to));
  } catch (error) {
    await remove(partial);
    throw storeErrorOf(error, to);
  }
}

/** Copies the database in one read transaction around all steps: otherwise every commit would restart the copy. */
async function copyMoment(file: string, to: string): Promise<void> {
  const source = openForReading({ file });
  try {
    source.database.exec("BEGIN; SELECT count(*) FROM meta");
    await backup(source.database, to, { rate: pagesPerStep });
  } finally {
    source.close();
  }
}

/**
 * Gives the copy its own store id. A client may have a cursor (a position in the feed) for events that the original
 * wrote after the backup. The new id shows that such a cursor is not valid in the copy. The copy leaves WAL mode, in
 * which even a reader creates files next to the database; the server that uses the copy turns WAL mode on again.
 */
function finishCopy(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; BEGIN IMMEDIATE");
    addFormerId(database);
    database.prepare("UPDATE meta SET value = ? WHERE key = 'store_id'").run(randomUUID());
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function remove(file: string): Promise<void> {
  for (const end of ["", "-wal", "-shm", "-journal"]) await rm(`${file}${end}`, { force: true });
}
