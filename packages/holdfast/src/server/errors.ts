import { errorStatus } from "../contract/error.ts";
import type { ErrorCode } from "../contract/error.ts";
import type { Refusal } from "../kernel/refusal.ts";
import { CommandRefused } from "../runner/command-refused.ts";
import { StoreError } from "../store/store-error.ts";
import type { StoreErrorCode } from "../store/store-error.ts";
import { WorkspaceError } from "../workspace/loader.ts";

// The one place that maps what can go wrong to what a client is told.

/** Why a request is not carried out. The code says what to do about it; the status follows from it. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: Readonly<Record<string, unknown>> | null;
      headers?: Readonly<Record<string, string>>;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ApiError";
    this.code = code;
    this.details = options.details ?? null;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** What any error means for a client. What is not foreseen is a bug: it is told as `internal` only. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof CommandRefused) return refusalError(error.refusal);
  if (error instanceof StoreError) return storeError(error);
  if (error instanceof WorkspaceError) {
    const { message, notices } = error;
    return new ApiError("brokenWorkspace", message, { details: { notices } });
  }
  return new ApiError("internal", "something went wrong inside the server; its log has more", {
    cause: error,
  });
}

/** The body of every answer that is an error. */
export function errorBody(error: ApiError, requestId: string): object {
  const { code, message, details } = error;
  return { error: { code, message, requestId, ...(details === null ? {} : { details }) } };
}

const retrySoon = { "retry-after": "1" };

function refusalError(refusal: Refusal): ApiError {
  const { code, message } = refusal;
  const isOurs = code === "unknownCommand" || code === "generation";
  const plain = (details: Record<string, unknown> | null = null): ApiError =>
    new ApiError(isOurs ? "internal" : code, message, { details });
  switch (refusal.code) {
    // Only the runner starts runs.
    case "generation":
    case "unknownCommand":
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
      return plain();
    case "draining":
      return new ApiError("draining", message, { headers: retrySoon });
    case "invalid":
      return plain({ field: refusal.field });
    case "queueFull":
    case "tooManyHolds":
    case "tooLarge":
    case "stepLimit":
    case "treeFull":
      return plain({ limit: refusal.limit });
    case "runMismatch":
      return plain({ activeRunId: refusal.activeRunId });
    case "takenIn":
      return plain({ runId: refusal.runId });
    case "staleRevision":
      return plain({ revision: refusal.revision });
    case "askClosed":
      return plain({ ask: refusal.ask });
    case "owned":
      return plain({ owner: refusal.owner });
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
    // What was not acknowledged may still have happened: ids make it safe to send it again.
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
