import { statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../store-error.ts";

// https://sqlite.org/rescode.html: the low byte names the kind, the rest its detail.
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

/** The store's error for one of SQLite; what is no error of SQLite is a bug and stays as it is. */
export function storeErrorOf(error: unknown, file: string): unknown {
  // Every JSON that is read here was written here.
  if (error instanceof SyntaxError) return corrupt(file, error);
  const code = sqliteCode(error);
  if (code === null || !(error instanceof Error)) return error;
  const cause = error;
  switch (code & 0xff) {
    case kinds.busy:
    case kinds.locked:
      return new StoreError(
        "storeUnavailable",
        `another program keeps ${file} locked; end what it does there and try again`,
        cause,
      );
    case kinds.perm:
    case kinds.readonly:
      return readOnly(file, cause);
    case kinds.full:
      return new StoreError(
        "storeFull",
        `no room is left for ${file}; free some disk space. What was acknowledged is kept`,
        cause,
      );
    case kinds.corrupt:
      return corrupt(file, cause);
    case kinds.notadb:
      return new StoreError(
        "storeInvalid",
        `${file} is not a SQLite database; name another file, or move it away`,
        cause,
      );
    case kinds.cantopen:
      if (isFolder(dirname(file)) && !isFolder(file)) return readOnly(file, cause);
      return new StoreError(
        "storeInvalid",
        `${file} can't be opened; name a file, in a folder that exists`,
        cause,
      );
    case kinds.constraint:
      return new StoreError(
        "storeViolation",
        `a constraint of the database refused a write that no rule refused: ${cause.message}. ` +
          "Nothing of it was stored; please report it",
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

export function corrupt(file: string, cause?: unknown): StoreError {
  return new StoreError(
    "storeCorrupt",
    `${file} is damaged; stop the program and put a backup in its place`,
    cause,
  );
}

export function closed(file: string): StoreError {
  return new StoreError("storeClosed", `the store on ${file} was closed; open it again`);
}

function readOnly(file: string, cause: unknown): StoreError {
  return new StoreError(
    "storeReadOnly",
    `${file} can't be written; make it and its folder writable for this user, or name another file`,
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
