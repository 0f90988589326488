/** What can go wrong with a store itself; a command that may not happen is a refusal instead. */
export type StoreErrorCode =
  /** Another process owns the database. */
  | "storeOwned"
  | "storeClosed"
  | "storeCorrupt"
  | "storeReadOnly"
  | "storeFull"
  /** It went away or did not answer in time: what was not acknowledged may still have happened. */
  | "storeUnavailable"
  /** Written by a newer program than this one. */
  | "storeTooNew"
  /** Older programs work on it that could not go on after what this one would change. */
  | "storeInUse"
  /** A database that is not Holdfast's, or cannot be opened at all. */
  | "storeInvalid"
  /** Two writes met that no rule lets meet: a constraint behind the rules has caught a bug. */
  | "storeViolation";

const retryableCodes: ReadonlySet<StoreErrorCode> = new Set(["storeUnavailable", "storeFull"]);

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** The same request may succeed later, unchanged. */
  readonly retryable: boolean;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StoreError";
    this.code = code;
    this.retryable = retryableCodes.has(code);
  }
}
