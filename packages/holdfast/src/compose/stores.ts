import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { folderProblem, makeFolder } from "../base/folders.ts";
import { openSqliteReader } from "../store/sqlite/reader.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { StoreError } from "../store/store-error.ts";
import type { Store, StoreReader } from "../store/store.ts";

/** Opens an existing store for writing. Starts no runs. */
export async function openExistingStore(address: string): Promise<Store> {
  expectStore(address);
  return openStore(address, { mustExist: true });
}

/** Opens a store read-only, even while another process owns it. */
export async function openReader(address: string): Promise<StoreReader> {
  expectStore(address);
  if (isPostgres(address)) return openStore(address, { mustExist: true });
  return openSqliteReader({ file: address });
}

/** Copies a store to a new file, even while the store is in use. */
export async function backUpStore(address: string, file: string): Promise<void> {
  if (isPostgres(address)) {
    const advice =
      "back it up with the database's own tools, such as `pg_dump --schema=holdfast` (docs/OPERATIONS.md)";
    throw new StoreError("storeInvalid", `this store is a PostgreSQL database; ${advice}`);
  }
  expectStore(address);
  const reader = await openSqliteReader({ file: address });
  try {
    await reader.backup(file);
  } finally {
    await reader.close();
  }
}

/** Returns the path of the user's default store. */
export function defaultStore(environment: NodeJS.ProcessEnv, home: string): string {
  return join(dataFolder(environment, home), "holdfast.db");
}

/** Returns the user's folder for tokens, permissions and sessions. */
export function dataFolder(environment: NodeJS.ProcessEnv, home: string): string {
  const data = environment["XDG_DATA_HOME"] ?? "";
  return join(data === "" ? join(home, ".local", "share") : data, "holdfast");
}

/** Returns the user's config folder. */
export function configFolder(environment: NodeJS.ProcessEnv, home: string): string {
  const config = environment["XDG_CONFIG_HOME"] ?? "";
  return join(config === "" ? join(home, ".config") : config, "holdfast");
}

/** Opens a store by its address: a file, or the URL of a database server. */
export async function openStore(address: string, options: OpenOptions = {}): Promise<Store> {
  if (!isPostgres(address)) {
    await makeStoreFolder(dirname(address));
    return openSqliteStore({ file: address });
  }
  if (!URL.canParse(address, "postgres://base")) {
    // The message does not contain the address, because the address may contain a password.
    const advice =
      "write postgres://user@host/database, with special characters encoded, such as %40 for @";
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
  /** True: do not create the store. */
  readonly mustExist?: boolean;
  /** Lease time of this process in milliseconds, if the process will take a lease. */
  readonly leaseTtl?: number;
  /** Called with warnings for the operator. */
  readonly onWarning?: (message: string) => void;
}

/** Returns timeouts for the database, so that locks of a frozen process are released before its lease ends. */
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

/** Throws if the address names a file that is not there yet. */
export function expectStore(address: string): void {
  if (isPostgres(address)) return;
  if (existsSync(address)) {
    if (!statSync(address).isDirectory()) return;
    const advice = "name the store's file with --store";
    throw new StoreError("storeInvalid", `${address} is a folder; ${advice}`);
  }
  const advice = "create one with `holdfast run`, or name another with --store";
  throw new StoreError("storeInvalid", `there is no store at ${address} yet; ${advice}`);
}

function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(address);
}

async function makeStoreFolder(folder: string): Promise<void> {
  try {
    // Only the user may read the folder, because it contains sessions.
    await makeFolder(folder, 0o700);
  } catch (error) {
    const problem = `the folder ${folder} cannot be created: ${folderProblem(error)}`;
    throw new StoreError("storeInvalid", `${problem}; name another file with --store`, error);
  }
}

/** Returns a store's address for messages, without the password of a database. */
export function storeName(address: string): string {
  return address
    .replace(/^(postgres(?:ql)?:\/\/[^:@/]*):[^@/]*@/, "$1:***@")
    .replaceAll(/([?&](?:ssl)?password=)[^&]*/g, "$1***");
}

/**
 * Returns the `--store` option that makes a command in this shell use the store, as text to append. Empty for the
 * default store, and for a database that HOLDFAST_STORE names: its address may contain a password, which is not printed.
 */
export function storeWords(
  store: string,
  { environment, home }: { environment: NodeJS.ProcessEnv; home: string },
): string {
  if (isPostgres(store) && store === environment["HOLDFAST_STORE"]) return "";
  return store === defaultStore(environment, home) ? "" : ` --store ${shellWord(storeName(store))}`;
}

/**
 * Returns the command line with additions, so that it reaches this server from another shell. A command finds the
 * server of a PostgreSQL database by a file in the default data folder. If the server uses another data folder, the
 * file is not there, so the additions are the server's address and token. The same if the address of the database
 * contains a password, because the password is not printed.
 */
export function commandForServer(
  words: string,
  server: {
    readonly url: string;
    readonly store: string;
    readonly dataFolder: string;
    readonly environment: NodeJS.ProcessEnv;
    readonly home: string;
  },
): string {
  const { url, store, dataFolder: folder, environment, home } = server;
  const canBeFound = folder === dataFolder(environment, home) && storeName(store) === store;
  if (!isPostgres(store) || canBeFound) {
    // The other shell may not have this variable.
    const otherShell = { ...environment, HOLDFAST_STORE: undefined };
    return `${words}${storeWords(store, { environment: otherShell, home })}`;
  }
  return `HOLDFAST_TOKEN="$(cat ${shellWord(join(folder, "token"))})" ${words} --server ${url}`;
}

/** Quotes a word for a POSIX shell if it needs quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Advice on how to switch from the demo agent to a model, in one line. */
export const connectAdvice =
  "To connect a model, run `holdfast connect anthropic` (or openai, google, openrouter, ollama), or " +
  "set a variable such as ANTHROPIC_API_KEY; for all variables: holdfast models";
