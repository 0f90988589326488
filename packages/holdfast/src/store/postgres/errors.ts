import { DatabaseError } from "pg";
import { StoreError } from "../store-error.ts";

/**
 * Converts an error of PostgreSQL or its connection to a store error. Other errors are bugs and pass
 * unchanged. Before a store is open, no request can have been stored.
 */
export function storeErrorOf(
  error: unknown,
  { isOpening = false }: { readonly isOpening?: boolean } = {},
): unknown {
  if (error instanceof StoreError) return error;
  const tlsAdvice = tlsAdviceFor(error);
  if (tlsAdvice !== null) {
    return new StoreError("storeInvalid", `${tlsAdvice} (${detailOf(error)})`, error);
  }
  if (isConnectionLost(error)) {
    return new StoreError(
      "storeUnavailable",
      `the database does not answer (${detailOf(error)}); check that it is running and reachable` +
        (isOpening ? "" : doubt),
      error,
    );
  }
  const state = sqlState(error);
  if (state === null || !(error instanceof Error)) return error;
  const [code, advice] = kindOf(state);
  return new StoreError(code, `${advice} (${detailOf(error)})`, error);
}

const doubt =
  ". Requests without an answer may have been stored: send them again with the same ids";

/** Returns advice for a failed TLS connection; null for other errors. */
function tlsAdviceFor(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error.message === "The server does not support SSL connections") {
    return "the database does not use TLS; set `ssl = on` in its config, or remove sslmode from the address";
  }
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return "the certificate of the database is for another host; use the host name that the certificate contains";
  }
  if (certificateCode.test(code)) {
    return (
      "the certificate of the database could not be verified; for your own certificate authority, add " +
      "sslrootcert=/path/ca.pem to the address"
    );
  }
  return isUnreadableFile(error)
    ? "a certificate file that the address names cannot be read; check its path and permissions"
    : null;
}

/**
 * True if a file could not be opened, or is a folder. The same code without `open` comes from a Unix socket that does
 * not exist.
 */
function isUnreadableFile(error: Error): boolean {
  if ("code" in error && error.code === "EISDIR") return true;
  return "syscall" in error && error.syscall === "open";
}

/** Returns the original message, which may come from a pooler such as PgBouncer. */
function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const state = sqlState(error);
  if (state !== null) return `PostgreSQL ${state}: ${error.message}`;
  // Node's error has no message if several addresses refused the connection.
  return error.message === "" && "code" in error ? String(error.code) : error.message;
}

export function closedError(): StoreError {
  return new StoreError("storeClosed", "the store was closed; open it again");
}

/** True if the connection is lost: the last statement may or may not have taken effect. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== null) return state.startsWith("08") || state.startsWith("57P");
  if (!(error instanceof Error) || isUnreadableFile(error)) return false;
  // Node's error if several addresses failed.
  if (error instanceof AggregateError) return error.errors.some(isConnectionLost);
  // A list of codes would miss some: a failed system call can have any code.
  if ("syscall" in error) return true;
  if ("code" in error && typeof error.code === "string") {
    return networkCodes.has(error.code) || error.code.startsWith("ERR_SSL_");
  }
  return lostMessages.some((message) => error.message.includes(message));
}

/** True if the transaction was rolled back for a temporary reason. */
export function isRolledBack(error: unknown): boolean {
  return rolledBack.has(sqlState(error) ?? "");
}

export function isUniqueViolation(error: unknown, constraints: readonly string[]): boolean {
  return sqlState(error) === "23505" && constraints.includes(constraintOf(error));
}

/** True if the database rejected a prompt because its id is already used. */
export function isKnownPrompt(error: unknown): boolean {
  return isUniqueViolation(error, ["prompts_pkey", "events_once"]);
}

function constraintOf(error: unknown): string {
  return (error instanceof DatabaseError ? error.constraint : undefined) ?? "";
}

function sqlState(error: unknown): string | null {
  return error instanceof DatabaseError && error.code !== undefined ? error.code : null;
}

// Maps an SQLSTATE code to an error code and advice: https://www.postgresql.org/docs/current/errcodes-appendix.html
function kindOf(state: string): [code: StoreError["code"], advice: string] {
  if (state.startsWith("23")) {
    return [
      "storeViolation",
      "a database constraint rejected a write, which is a bug in Holdfast. Nothing was stored; " +
        "please report it",
    ];
  }
  if (state === "25006") {
    return [
      "storeReadOnly",
      "the database is read-only; use the address of the primary, not of a standby",
    ];
  }
  if (state === "53100") {
    return ["storeFull", "the database's disk is full; free some space. Stored data is safe"];
  }
  if (state.startsWith("53") || rolledBack.has(state)) {
    return ["storeUnavailable", "the database is too busy; raise its limits, or try again later"];
  }
  if (state === "XX001" || state === "XX002") {
    return ["storeCorrupt", "the database is damaged; stop the program and restore a backup"];
  }
  if (state.startsWith("28") || state === "42501") {
    return [
      "storeInvalid",
      "the database refused this user; check the user name, password and permissions",
    ];
  }
  if (state === "3D000" || state === "3F000") {
    return ["storeInvalid", "there is no such database; create it first, or check the address"];
  }
  return ["storeInvalid", "the database is not usable; check that it is a Holdfast database"];
}

/** Serialization failure, deadlock, lock not available, or cancelled by a timeout. */
const rolledBack: ReadonlySet<string> = new Set(["40001", "40P01", "55P03", "57014", "25P03"]);

// Codes of Node and OpenSSL: https://nodejs.org/api/tls.html#x509-certificate-error-codes
const certificateCode = /CERT|^UNABLE_TO_|^INVALID_CA$/u;

/** Codes of errors that Node creates itself, without a system call. */
const networkCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "EPROTO", "ETIMEDOUT"]);

/** Messages of `pg` errors without a code. */
const lostMessages = [
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "timeout expired",
  "Query read timeout",
  "Client has encountered a connection error",
  "Client was closed and is not queryable",
];
