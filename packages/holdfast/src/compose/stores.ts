import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { folderProblem, makeFolder } from "../base/folders.ts";
import { StoreError } from "../store/store-error.ts";
import type { Store, StoreReader } from "../store/store.ts";

// What opens a store is loaded only by those who do: most commands go through a server.

/** For writing without running anything. */
export async function openExistingStore(address: string): Promise<Store> {
  expectStore(address);
  return openStore(address, { mustExist: true });
}

/** For looking only: also works while another process owns the store. */
export async function openReader(address: string): Promise<StoreReader> {
  expectStore(address);
  if (isPostgres(address)) return openStore(address, { mustExist: true });
  const { openSqliteReader } = await import("../store/sqlite/reader.ts");
  return openSqliteReader({ file: address });
}

/** Copies a store into a new file as it is now, whoever works on it meanwhile. */
export async function backUpStore(address: string, file: string): Promise<void> {
  if (isPostgres(address)) {
    const advice =
      "back it up with the database's own tools, such as `pg_dump --schema=holdfast` (docs/OPERATIONS.md)";
    throw new StoreError("storeInvalid", `this store is a PostgreSQL database; ${advice}`);
  }
  expectStore(address);
  const { openSqliteReader } = await import("../store/sqlite/reader.ts");
  const reader = await openSqliteReader({ file: address });
  try {
    await reader.backup(file);
  } finally {
    await reader.close();
  }
}

/** Where a person's sessions are kept when no store is named. */
export function defaultStore(environment: NodeJS.ProcessEnv, home: string): string {
  return join(dataFolder(environment, home), "holdfast.db");
}

/** Where a person's tokens, permissions and sessions are. */
export function dataFolder(environment: NodeJS.ProcessEnv, home: string): string {
  const data = environment["XDG_DATA_HOME"] ?? "";
  return join(data === "" ? join(home, ".local", "share") : data, "holdfast");
}

/** Where a person's own config is. */
export function configFolder(environment: NodeJS.ProcessEnv, home: string): string {
  const config = environment["XDG_CONFIG_HOME"] ?? "";
  return join(config === "" ? join(home, ".config") : config, "holdfast");
}

/** Opens a store by its address: a file, or the URL of a database server. */
export async function openStore(address: string, options: OpenOptions = {}): Promise<Store> {
  if (!isPostgres(address)) {
    await makeStoreFolder(dirname(address));
    const { openSqliteStore } = await import("../store/sqlite/sqlite-store.ts");
    return openSqliteStore({ file: address });
  }
  if (!URL.canParse(address, "postgres://base")) {
    // Not shown: where it is malformed is not known, nor where a password in it is.
    const advice = "write postgres://user@host/database, and other characters as %40";
    throw new StoreError("storeInvalid", `the database's address is malformed; ${advice}`);
  }
  const { openPostgresStore } = await import("../store/postgres/postgres-store.ts");
  const { leaseTtl, ...others } = options;
  return openPostgresStore({
    url: address,
    ...others,
    ...(leaseTtl === undefined ? {} : { timeouts: timeoutsFor(leaseTtl) }),
  });
}

export interface OpenOptions {
  /** True: what is not there is not made. */
  readonly mustExist?: boolean;
  /** That of this process, if it will have one. */
  readonly leaseTtl?: number;
  /** Told what an operator should know. */
  readonly onWarning?: (message: string) => void;
}

/** What a frozen process holds in the database must be free before its lease ends. */
function timeoutsFor(leaseTtl: number): {
  statement: number;
  lock: number;
  idleInTransaction: number;
} {
  const most = Math.floor(leaseTtl * 0.4);
  return {
    statement: Math.min(4_000, most),
    lock: Math.min(2_000, most),
    idleInTransaction: Math.min(2_000, most),
  };
}

function expectStore(address: string): void {
  if (isPostgres(address)) return;
  if (existsSync(address)) {
    if (!statSync(address).isDirectory()) return;
    const advice = "name the store's file with --store";
    throw new StoreError("storeInvalid", `${address} is a folder; ${advice}`);
  }
  const advice = "`holdfast run` makes one, --store names another";
  throw new StoreError("storeInvalid", `there is no store at ${address} yet; ${advice}`);
}

function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(address);
}

async function makeStoreFolder(folder: string): Promise<void> {
  try {
    // What is said in sessions is nobody else's business.
    await makeFolder(folder, 0o700);
  } catch (error) {
    const problem = `the folder ${folder} can't be made: ${folderProblem(error)}`;
    throw new StoreError("storeInvalid", `${problem}; name another file with --store`, error);
  }
}

/** A store's address as it may be shown: without the password of a database. */
export function storeName(address: string): string {
  return address
    .replace(/^(postgres(?:ql)?:\/\/[^:@/]*):[^@/]*@/, "$1:***@")
    .replaceAll(/([?&](?:ssl)?password=)[^&]*/g, "$1***");
}

/** How to get from the demo agent to the coding agent, in one line. */
export const connectAdvice =
  "To connect a model, run `holdfast connect anthropic` (or openai, google, openrouter, ollama), or " +
  "set ANTHROPIC_API_KEY and the like; `holdfast models` says more";
