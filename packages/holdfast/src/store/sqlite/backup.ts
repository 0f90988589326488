import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { DatabaseSync, backup } from "node:sqlite";
import { StoreError } from "../store-error.ts";
import { openForReading } from "./connection.ts";
import { storeErrorOf } from "./errors.ts";
import { addFormerId } from "./former-ids.ts";
import { makePrivateFile } from "./owner-lock.ts";

/** Pages to a step: between two steps the rest of the process has its say. */
const pagesPerStep = 1000;

export interface CanBackUp {
  /** Copies the store as it is now into a new file, and answers when that is durable. */
  backup(file: string): Promise<void>;
}

/**
 * Writes the store as it is at this moment into a new file, durably, while its owner goes on. The file
 * has its name only when it is complete. Works from any process that may read the database.
 */
export async function backUp(from: { file: string; to: string }): Promise<void> {
  const to = resolve(from.to);
  if (existsSync(to)) {
    throw new StoreError("storeInvalid", `${to} is there already; name a new file for the backup`);
  }
  const partial = `${to}.partial`;
  try {
    await remove(partial);
    makePrivateFile(partial);
    await copyMoment(from.file, partial);
    becomeAnother(partial);
    await sync(partial);
    await rename(partial, to);
    await sync(dirname(to));
  } catch (error) {
    await remove(partial);
    throw storeErrorOf(error, to);
  }
}

/** One read transaction around all steps: without it every commit would begin the copy anew. */
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
 * The copy goes its own way from here on, so it has an id of its own: a cursor of the original that
 * is past this moment must not be taken for one of the copy.
 */
function becomeAnother(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE");
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
