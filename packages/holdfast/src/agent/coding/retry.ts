import { AgentFailure } from "../agent.ts";
import type { FailureReason } from "../../kernel/state.ts";
import type { ModelError, ModelErrorKind } from "../model/model.ts";

export interface RetryOptions {
  readonly maxTries: number;
  /** Milliseconds before the second try. Default: 500. The delay grows with each further try. */
  readonly retryAfter?: number;
  readonly random: () => number;
}

/** Returns the milliseconds to wait before the next try; null if a retry makes no sense. */
export function retryDelay(
  error: ModelError,
  options: RetryOptions & { tries: number },
): number | null {
  const { tries, maxTries, retryAfter = 500, random } = options;
  if (tries >= Math.min(maxTries, maxTriesFor(error))) return null;
  if (error.retryIn !== null) return error.retryIn > longestWait ? null : error.retryIn;
  const backoff = Math.min(longestWait, retryAfter * 2 ** (tries - 1));
  return Math.round(backoff * (0.5 + random() / 2));
}

/**
 * Returns the maximum number of tries for an error: many for an overloaded provider, few for an unreachable host or for
 * a stall, which takes long.
 */
function maxTriesFor(error: ModelError): number {
  switch (error.kind) {
    case "transient":
      return isUnreachable(error) ? 4 : Infinity;
    case "stalled":
    case "empty":
      return 3;
    case "endless":
    case "badKey":
    case "noQuota":
    case "modelGone":
    case "contextTooLong":
    case "contentFilter":
    case "badFile":
    case "invalid":
      return 1;
  }
}

function isUnreachable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return false;
  const isRefused = "code" in error && ["ECONNREFUSED", "ENOTFOUND"].includes(String(error.code));
  return isRefused || isUnreachable(error.cause, depth + 1);
}

const longestWait = 60_000;

/**
 * Converts a model error to a failure of the run. If the next prompt would fail too, the failure pauses the session
 * (L4): until a person acts, or until the time that the provider stated.
 */
export function failureOf(error: ModelError): AgentFailure {
  const { reason, holds } = reactions[error.kind];
  const { retryIn } = error;
  return new AgentFailure(reason, error.message, {
    ...(holds || retryIn !== null ? { hold: { retryIn } } : {}),
    cause: error,
  });
}

const reactions: Readonly<Record<ModelErrorKind, { reason: FailureReason; holds: boolean }>> = {
  transient: { reason: "providerError", holds: false },
  stalled: { reason: "stalled", holds: false },
  empty: { reason: "providerError", holds: false },
  endless: { reason: "providerError", holds: false },
  badKey: { reason: "badKey", holds: true },
  noQuota: { reason: "noQuota", holds: true },
  modelGone: { reason: "modelGone", holds: true },
  contextTooLong: { reason: "contextTooLong", holds: false },
  contentFilter: { reason: "contentFilter", holds: false },
  badFile: { reason: "providerError", holds: false },
  invalid: { reason: "providerError", holds: false },
};
