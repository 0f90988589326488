import { ModelError } from "./model.ts";

/** Aborts a call when nothing was heard for too long, or when the run is to stop. */
export interface StallGuard {
  readonly signal: AbortSignal;
  heard(): void;
  /** Why it was aborted: the run's own reason first. */
  reason(): unknown;
  close(): void;
}

export function createStallGuard(stallAfter: number, run: AbortSignal): StallGuard {
  const controller = new AbortController();
  const seconds = Math.round(stallAfter / 1000);
  const stalled = new ModelError("stalled", `the model sent nothing for ${seconds} s`);
  const expire = (): void => controller.abort(stalled);
  const follow = (): void => controller.abort(run.reason);
  let timer = setTimeout(expire, stallAfter);
  if (run.aborted) follow();
  run.addEventListener("abort", follow);
  return {
    signal: controller.signal,
    heard: () => {
      clearTimeout(timer);
      timer = setTimeout(expire, stallAfter);
    },
    reason: () => (run.aborted ? run.reason : stalled),
    close: () => {
      clearTimeout(timer);
      run.removeEventListener("abort", follow);
    },
  };
}
