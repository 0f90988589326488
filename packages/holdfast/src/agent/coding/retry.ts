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
  if (!retried.has(error.kind)) return null;
  if (tries >= maxTries) return null;
  if (error.retryIn !== null) return error.retryIn > longestWait ? null : error.retryIn;
  const backoff = Math.min(longestWait, retryAfter * 2 ** (tries - 1));
  return Math.round(backoff * (0.5 + random() / 2));
}

const retried: ReadonlySet<ModelErrorKind> = new Set(["transient", "stalled", "empty"]);
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

/** Resolves after the time, or rejects with the signal's reason when the run is to stop. */
export function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error("stopped"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
