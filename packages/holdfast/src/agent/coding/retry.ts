import { AgentFailure } from "../agent.ts";
import type { FailureReason } from "../../kernel/state.ts";
import type { ModelError, ModelErrorKind } from "../model/model.ts";

export interface RetryOptions {
  readonly maxTries: number;
  /** Milliseconds before the second try, half a second if left out; longer before further ones. */
  readonly retryAfter?: number;
  readonly random: () => number;
}

/** Milliseconds to wait before the next try, or null when it is not worth one. */
export function retryDelay(
  error: ModelError,
  options: RetryOptions & { tries: number },
): number | null {
  const { tries, maxTries, retryAfter = 500, random } = options;
  if (tries >= Math.min(maxTries, mostTries(error))) return null;
  if (error.retryIn !== null) return error.retryIn > longestWait ? null : error.retryIn;
  const backoff = Math.min(longestWait, retryAfter * 2 ** (tries - 1));
  return Math.round(backoff * (0.5 + random() / 2));
}

/** An overloaded provider is worth a minute's patience; a stall takes long, and nobody may be there at all. */
function mostTries(error: ModelError): number {
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
 * The run's failure, with a hold where the next prompt would fail alike (L4): until somebody does
 * something about it, or until the time that the provider has named.
 */
export function failureOf(error: ModelError): AgentFailure {
  const { reason, holds } = consequences[error.kind];
  const { retryIn } = error;
  return new AgentFailure(reason, error.message, {
    ...(holds || retryIn !== null ? { hold: { retryIn } } : {}),
    cause: error,
  });
}

const consequences: Readonly<Record<ModelErrorKind, { reason: FailureReason; holds: boolean }>> = {
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
