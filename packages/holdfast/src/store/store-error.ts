/** Failures of the store. A command that the rules forbid is a refusal instead. */
export type StoreErrorCode =
  /** Another process owns the database. */
  | "storeOwned"
  | "storeClosed"
  | "storeCorrupt"
  | "storeReadOnly"
  | "storeFull"
  /** Lost connection or timeout. A write without an answer may still have happened. */
  | "storeUnavailable"
  /** The database was upgraded by a newer release. */
  | "storeTooNew"
  /** Processes of older releases are using the database and could not use it after the upgrade. */
  | "storeInUse"
  /** The file or database is not a Holdfast database, or cannot be opened. */
  | "storeInvalid"
  /** A database constraint failed. The cause is a bug in Holdfast. */
  | "storeViolation";

const retryableCodes: ReadonlySet<StoreErrorCode> = new Set(["storeUnavailable", "storeFull"]);

/**
 * The store failed.
 *
 * @example
 * try {
 *   await openSqliteStore({ file: "holdfast.db" });
 * } catch (error) {
 *   if (error instanceof StoreError && error.code === "storeOwned") console.error(error.message);
 * }
 */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** True if the same request can succeed later. */
  readonly retryable: boolean;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StoreError";
    this.code = code;
    this.retryable = retryableCodes.has(code);
  }
}
