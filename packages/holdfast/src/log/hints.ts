import type { LaneHub } from "./lane-hub.ts";

/** Tells somebody who reads from the store when it is worth reading again. */
export interface Hints {
  /** Resolves at the next hint since `arm`, after a while without one, or when aborted. */
  next(): Promise<void>;
  /** From here on a hint is remembered: arm first, read then, so that nothing falls in between. */
  arm(): void;
  close(): void;
}

/** How long a lost signal can cost. */
const pollEvery = 1_000;

/** About one session, or about all of them when it is null. */
export function hintsFor(
  lanes: LaneHub,
  target: { sessionId: string | null; signal: AbortSignal | undefined },
): Hints {
  const { sessionId, signal } = target;
  let hint = Promise.withResolvers<void>();
  const ring = (): void => hint.resolve();
  const stopListening = sessionId === null ? lanes.listenAll(ring) : lanes.listen(sessionId, ring);
  signal?.addEventListener("abort", ring);
  return {
    arm: () => {
      hint = Promise.withResolvers<void>();
    },
    next: async () => {
      if (signal?.aborted === true) return;
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
