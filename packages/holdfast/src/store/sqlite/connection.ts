import { randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makePrivateFile } from "../../base/file-lock.ts";
import type { FileLock } from "../../base/file-lock.ts";
import { planMigrations, schemaVersion } from "../migrate.ts";
import type { SchemaVersion } from "../migrate.ts";
import { StoreError } from "../store-error.ts";
import { corrupt, storeErrorOf } from "./errors.ts";
import { readFormerIds } from "./former-ids.ts";
import type { FormerIds } from "./former-ids.ts";
import { migrations } from "./migrations.ts";
import { takeOwnerLock } from "./owner-lock.ts";
import { text, whole } from "./row.ts";

/** The text "Hold" in SQLite's header: identifies a Holdfast database. */
const applicationId = 0x486f6c64;
const pageSize = 4096;

export interface Connection {
  readonly file: string;
  readonly database: DatabaseSync;
  readonly storeId: string;
  readonly formerIds: FormerIds;
  close(): void;
}

/**
 * Opens the database as its only owner. Creates the database if it is missing, and migrates its schema. The file
 * `:memory:` is a database that ends with its connection and needs no lock.
 */
export function openOwned(options: { file: string; maxBytes?: number | undefined }): Connection {
  const isInMemory = options.file === ":memory:";
  const file = isInMemory ? options.file : realFile(options.file);
  return opening(file, () => {
    if (!isInMemory) makePrivateFile(file);
    const database = new DatabaseSync(file, { timeout: 1000 });
    let lock: FileLock | null = null;
    const close = (): void => {
      database.close();
      lock?.release();
    };
    try {
      // Check the file before any write, so that a file of another program is not changed.
      recognise(file, database);
      if (!isInMemory) lock = takeOwnerLock(file);
      setUp(database, options.maxBytes ?? null);
      migrate(file, database);
      return connectionTo(file, database, close);
    } catch (error) {
      close();
      throw error;
    }
  });
}

/** Opens the database read-only, even while another process owns it. */
export function openForReading(options: { file: string }): Connection {
  const file = realFile(options.file);
  if (!existsSync(file)) {
    throw new StoreError("storeInvalid", `there is no database ${file}; check the file name`);
  }
  return opening(file, () => {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
    const close = (): void => database.close();
    try {
      const found = recognise(file, database);
      const missing = planMigrations(migrations, found);
      if (missing.length > 0) {
        throw new StoreError(
          "storeInvalid",
          `${file} has not been upgraded to this version of Holdfast; run "holdfast serve" of this version once`,
        );
      }
      return connectionTo(file, database, close);
    } catch (error) {
      close();
      throw error;
    }
  });
}

function connectionTo(file: string, database: DatabaseSync, close: () => void): Connection {
  const storeId = readMeta(file, database, "store_id");
  return { file, database, storeId, formerIds: readFormerIds(database), close };
}

function opening(file: string, open: () => Connection): Connection {
  try {
    return open();
  } catch (error) {
    throw storeErrorOf(error, file);
  }
}

/** Resolves symbolic links, so that two paths of one file use the same lock. */
function realFile(file: string): string {
  const path = resolve(file);
  try {
    return realpathSync(path);
  } catch {
    try {
      return join(realpathSync(dirname(path)), basename(path));
    } catch {
      return path;
    }
  }
}

/** Checks that the file is a Holdfast database and returns its schema version; null for a new, empty database. */
function recognise(file: string, database: DatabaseSync): SchemaVersion | null {
  const id = pragma(database, "application_id");
  if (id === applicationId) {
    const version = Number(readMeta(file, database, "schema_version"));
    const lowestVersion = Number(readMeta(file, database, "lowest_version"));
    const found = { version, lowestVersion };
    planMigrations(migrations, found);
    return found;
  }
  const tables = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() ?? {};
  if (id === 0 && whole(tables, "tables") === 0) return null;
  throw new StoreError(
    "storeInvalid",
    `${file} is a database of another program; choose another file`,
  );
}

function setUp(database: DatabaseSync, maxBytes: number | null): void {
  database.exec(`
    PRAGMA page_size = ${pageSize};
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 16000;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -16000;
    PRAGMA temp_store = MEMORY;
  `);
  if (maxBytes !== null) {
    database.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(maxBytes / pageSize))}`);
  }
}

/** Migrates the schema in one transaction: a crash in the middle changes nothing. */
function migrate(file: string, database: DatabaseSync): void {
  database.exec("BEGIN IMMEDIATE");
  const found = recognise(file, database);
  const missing = planMigrations(migrations, found);
  for (const migration of missing) database.exec(migration.sql);
  if (found === null) {
    database.exec(`PRAGMA application_id = ${applicationId}`);
    writeMeta(database, "store_id", randomUUID());
  }
  if (missing.length > 0) {
    const { version, lowestVersion } = schemaVersion(migrations);
    writeMeta(database, "schema_version", String(version));
    writeMeta(database, "lowest_version", String(lowestVersion));
  }
  database.exec("COMMIT");
}

function readMeta(file: string, database: DatabaseSync, key: string): string {
  const row = database.prepare("SELECT value FROM meta WHERE key = ?").get(key);
  if (row === undefined) throw corrupt(file);
  return text(row, "value");
}

function writeMeta(database: DatabaseSync, key: string, value: string): void {
  database
    .prepare(
      `INSERT INTO meta (key, value) VALUES (?, ?)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    )
    .run(key, value);
}

function pragma(database: DatabaseSync, name: string): number {
  return whole(database.prepare(`PRAGMA ${name}`).get() ?? {}, name);
}
