import type { LaneHub } from "./lane-hub.ts";

/** Tells somebody who reads a session from the store when it is worth reading again. */
export interface Hints {
  /** Resolves at the next hint since `arm`, after a while without one, or when aborted. */
  next(): Promise<void>;
  /** From here on a hint is remembered: arm first, read then, so that nothing falls in between. */
  arm(): void;
  close(): void;
}

/** How long a lost signal can cost. */
const pollEvery = 1_000;

export function hintsFor(
  lanes: LaneHub,
  target: { sessionId: string; signal: AbortSignal | undefined },
): Hints {
  const { sessionId, signal } = target;
  let hint = Promise.withResolvers<void>();
  const ring = (): void => hint.resolve();
  const stopListening = lanes.listen(sessionId, ring);
  signal?.addEventListener("abort", ring);
  return {
    arm: () => {
      hint = Promise.withResolvers<void>();
    },
    next: async () => {
      const timer = setTimeout(ring, pollEvery);
      await hint.promise;
      clearTimeout(timer);
    },
    close: () => {
      stopListening();
      signal?.removeEventListener("abort", ring);
    },
  };
}
