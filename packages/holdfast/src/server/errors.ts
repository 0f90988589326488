import { errorStatus } from "../contract/error.ts";
import type { ErrorCode, ErrorDetails } from "../contract/error.ts";
import type { Refusal } from "../kernel/refusal.ts";
import { CommandRefused } from "../runner/command-refused.ts";
import { StoreError } from "../store/store-error.ts";
import type { StoreErrorCode } from "../store/store-error.ts";
import { WorkspaceError } from "../workspace/loader.ts";

// The only place where failures are mapped to HTTP errors.

interface ApiErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** Options of an error. The contract says for each code whether `details` are required, optional or not allowed. */
type OptionsFor<Code extends ErrorCode> = Code extends keyof ErrorDetails
  ? Record<string, never> extends ErrorDetails[Code]
    ? [options?: ApiErrorOptions & { readonly details?: ErrorDetails[Code] }]
    : [options: ApiErrorOptions & { readonly details: ErrorDetails[Code] }]
  : [options?: ApiErrorOptions];

/** Reason why a request failed. Its code determines the HTTP status. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly details: object | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, message: string, ...[options = {}]: OptionsFor<Code>) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ApiError";
    this.code = code;
    this.details = "details" in options ? (options.details ?? null) : null;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/**
 * Maps any error to the error that the client gets. Unexpected errors are bugs: clients see only the code `internal`.
 */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof CommandRefused) return refusalError(error.refusal);
  if (error instanceof StoreError) return storeError(error);
  if (error instanceof WorkspaceError) {
    const { message, notices } = error;
    return new ApiError("brokenWorkspace", message, { details: { notices } });
  }
  return new ApiError("internal", "internal server error; see the server's log for details", {
    cause: error,
  });
}

/** Builds the body of an error response. */
export function errorBody(error: ApiError, requestId: string): object {
  const { code, message, details } = error;
  return { error: { code, message, requestId, ...(details === null ? {} : { details }) } };
}

const retrySoon = { "retry-after": "1" };

function refusalError(refusal: Refusal): ApiError {
  const { message } = refusal;
  switch (refusal.code) {
    // Clients cannot cause these refusals: only the runner sends such commands.
    case "generation":
    case "unknownCommand":
      return new ApiError("internal", message);
    // The route `answerAsk` handles this refusal itself, because the error details contain the ask.
    case "askClosed":
      return new ApiError("internal", message);
    case "unknownSession":
    case "forbidden":
    case "deleted":
    case "conflict":
    case "tombstoned":
    case "busy":
    case "held":
    case "idle":
    case "fenced":
    case "stopping":
    case "outOfOrder":
    case "unknownPrompt":
    case "notWaiting":
    case "unknownAsk":
    case "unknownHold":
    case "unknownWork":
    case "cycle":
      return new ApiError(refusal.code, message);
    case "draining":
      return new ApiError("draining", message, { headers: retrySoon });
    case "invalid":
      return new ApiError("invalid", message, { details: { field: refusal.field } });
    case "queueFull":
    case "tooManyHolds":
    case "tooLarge":
    case "stepLimit":
    case "treeFull":
      return new ApiError(refusal.code, message, { details: { limit: refusal.limit } });
    case "runMismatch":
      return new ApiError("runMismatch", message, {
        details: { activeRunId: refusal.activeRunId },
      });
    case "takenIn":
      return new ApiError("takenIn", message, { details: { runId: refusal.runId } });
    case "staleRevision":
      return new ApiError("staleRevision", message, { details: { revision: refusal.revision } });
    case "owned":
      return new ApiError("owned", message, { details: { owner: refusal.owner } });
  }
}

function storeError(cause: StoreError): ApiError {
  const headers = cause.retryable ? retrySoon : {};
  return new ApiError(storeCode(cause.code), cause.message, { cause, headers });
}

function storeCode(code: StoreErrorCode): ErrorCode {
  switch (code) {
    case "storeFull":
    case "storeReadOnly":
      return code;
    // The commit may have happened. Repeating the request is safe because of its ids.
    case "storeUnavailable":
    case "storeClosed":
    case "storeOwned":
    case "storeCorrupt":
    case "storeTooNew":
    case "storeInUse":
    case "storeInvalid":
      return "storeUnavailable";
    case "storeViolation":
      return "internal";
  }
}
