import { ModelError } from "./model.ts";
import type { ModelRequest } from "./model.ts";

/** Aborts a call when nothing was heard for too long, when it will not end, or when the run stops. */
export interface CallGuard {
  readonly signal: AbortSignal;
  /** A piece of the answer has come, so long; throws when that is more than an answer can be. */
  heard(characters: number): void;
  /** Why it was aborted: the run's own reason first. */
  reason(): unknown;
  close(): void;
}

/** Far more than any model says in a token, so that no honest answer is cut off. */
const charactersPerToken = 16;

export function createCallGuard(
  request: Pick<ModelRequest, "stallAfter" | "endAfter" | "signal">,
  maxTokens: number,
): CallGuard {
  const { stallAfter, endAfter, signal: run } = request;
  const controller = new AbortController();
  const expire = (): void => {
    const stalled = `the model sent nothing for ${inSeconds(stallAfter)}`;
    controller.abort(new ModelError("stalled", `${stalled} (try again, or another model)`));
  };
  const end = (): void => {
    const slow = `the answer did not end within ${inSeconds(endAfter)}`;
    controller.abort(new ModelError("endless", `${slow} (ask for less at a time)`));
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
    heard: (characters) => {
      silence.refresh();
      // A piece without a character counts too: nobody may send those for ever.
      length += characters + 1;
      if (length <= limit) return;
      controller.abort(new ModelError("endless", `the answer did not end in ${limit} characters`));
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
