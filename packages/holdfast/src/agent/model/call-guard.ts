import { ModelError } from "./model.ts";
import type { ModelRequest } from "./model.ts";

/** Aborts a model call that stalls, does not end, or belongs to a stopped run. */
export interface CallGuard {
  readonly signal: AbortSignal;
  /** Records a received piece of the answer. Throws if the answer exceeds its length limit. */
  received(characters: number): void;
  /** Returns the reason for the abort. If the run was stopped, returns the reason for the stop. */
  reason(): unknown;
  close(): void;
}

/** Upper bound of characters per token, high enough for every real answer. */
const charactersPerToken = 16;

export function createCallGuard(
  request: Pick<ModelRequest, "stallAfter" | "endAfter" | "signal">,
  maxTokens: number,
): CallGuard {
  const { stallAfter, endAfter, signal: run } = request;
  const controller = new AbortController();
  const expire = (): void => {
    const stalled = `the model sent nothing for ${inSeconds(stallAfter)}`;
    controller.abort(new ModelError("stalled", `${stalled} (try again, or use another model)`));
  };
  const end = (): void => {
    const slow = `the answer did not end within ${inSeconds(endAfter)}`;
    controller.abort(new ModelError("endless", `${slow} (ask for a smaller piece of work)`));
  };
  const follow = (): void => controller.abort(run.reason);
  const limit = maxTokens * charactersPerToken;
  let length = 0;
  const deadline = setTimeout(end, endAfter);
  const silence = setTimeout(expire, stallAfter);
  run.addEventListener("abort", follow);
  if (run.aborted) follow();
  return {
    signal: controller.signal,
    received: (characters) => {
      silence.refresh();
      // Count empty pieces too, so that an endless stream of them reaches the limit.
      length += characters + 1;
      if (length <= limit) return;
      controller.abort(new ModelError("endless", `the answer is longer than ${limit} characters`));
      throw controller.signal.reason;
    },
    reason: () => (run.aborted ? run.reason : controller.signal.reason),
    close: () => {
      clearTimeout(deadline);
      clearTimeout(silence);
      run.removeEventListener("abort", follow);
    },
  };
}

function inSeconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10} s`;
}
