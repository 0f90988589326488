import { statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../store-error.ts";

// https://sqlite.org/rescode.html: the low byte is the kind, the rest is the detail.
const kinds = {
  perm: 3,
  busy: 5,
  locked: 6,
  nomem: 7,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  constraint: 19,
  notadb: 26,
} as const;

/** Converts a SQLite error to a store error. Other errors are bugs and pass unchanged. */
export function storeErrorOf(error: unknown, file: string): unknown {
  // All JSON in the database was written by us, so a syntax error means damage.
  if (error instanceof SyntaxError) return corrupt(file, error);
  const code = sqliteCode(error);
  if (code === null || !(error instanceof Error)) return error;
  const cause = error;
  switch (code & 0xff) {
    case kinds.busy:
    case kinds.locked:
      return new StoreError(
        "storeUnavailable",
        `another program has locked ${file}; close that program and try again`,
        cause,
      );
    case kinds.perm:
    case kinds.readonly:
      return readOnly(file, cause);
    case kinds.full:
      return new StoreError(
        "storeFull",
        `there is no disk space left for ${file}; free some space. Acknowledged data is safe`,
        cause,
      );
    case kinds.corrupt:
      return corrupt(file, cause);
    case kinds.notadb:
      return new StoreError(
        "storeInvalid",
        `${file} is not a SQLite database; choose another file, or move this one away`,
        cause,
      );
    case kinds.cantopen:
      if (isFolder(dirname(file)) && !isFolder(file)) return readOnly(file, cause);
      return new StoreError(
        "storeInvalid",
        `${file} cannot be opened; choose a file in a directory that exists`,
        cause,
      );
    case kinds.constraint:
      return new StoreError(
        "storeViolation",
        `a database constraint rejected a write, which is a bug in Holdfast: ${cause.message}. ` +
          "Nothing was stored; please report it",
        cause,
      );
    case kinds.ioerr:
    case kinds.nomem:
      return new StoreError(
        "storeUnavailable",
        `the system could not read or write ${file} (${cause.message}); check the disk`,
        cause,
      );
    default:
      return error;
  }
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && ((code & 0xff) === kinds.busy || (code & 0xff) === kinds.locked);
}

/** True if the database, or the search index in it, is damaged. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && (code & 0xff) === kinds.corrupt;
}

export function corrupt(file: string, cause?: unknown): StoreError {
  return new StoreError(
    "storeCorrupt",
    `${file} is damaged; stop the program and restore a backup`,
    cause,
  );
}

export function closed(file: string): StoreError {
  return new StoreError("storeClosed", `the store on ${file} was closed; open it again`);
}

function readOnly(file: string, cause: unknown): StoreError {
  return new StoreError(
    "storeReadOnly",
    `${file} cannot be written; make the file and its directory writable for this user, or choose another file`,
    cause,
  );
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error)) return null;
  return typeof error.errcode === "number" ? error.errcode : null;
}
