import type { Timing } from "./timing.ts";
import { pause } from "./timing.ts";

/** Pauses between tries: they double up to `most`, and vary so that clients do not come in step. */
export interface Backoff {
  readonly first: number;
  readonly most: number;
}

export const usualBackoff: Backoff = { first: 100, most: 5_000 };

/**
 * One row of failures in sequence. `wait` pauses before the next try and answers false, without a
 * pause, when patience would end before it: then the caller gives up.
 */
export interface Tries {
  /** The server was there: patience and pauses begin anew. */
  reset(): void;
  wait(options: { atLeast?: number | null; signal: AbortSignal | undefined }): Promise<boolean>;
}

export function createTries(
  timing: Timing,
  options: { backoff: Backoff; patience: number },
): Tries {
  const { backoff, patience } = options;
  let since = timing.now();
  let failures = 0;
  return {
    reset: () => {
      since = timing.now();
      failures = 0;
    },
    wait: async ({ atLeast, signal }) => {
      const longest = Math.min(backoff.most, backoff.first * 2 ** failures);
      const varied = longest * (0.5 + timing.random() / 2);
      const milliseconds = Math.max(varied, atLeast ?? 0);
      if (timing.now() - since + milliseconds > patience) return false;
      failures += 1;
      await pause(timing, { milliseconds, signal });
      return true;
    },
  };
}
