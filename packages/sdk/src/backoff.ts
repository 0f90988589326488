import type { Timing } from "./timing.ts";
import { pause } from "./timing.ts";

/** Pauses between attempts. They double from `first` to `most`, with random variation. */
export interface Backoff {
  /** Milliseconds to wait before the first retry. */
  readonly first: number;
  /** Longest pause between two attempts, in milliseconds. */
  readonly most: number;
}

export const usualBackoff: Backoff = { first: 100, most: 5_000 };

/**
 * A sequence of failed attempts. `wait` pauses before the next attempt. If `patience` would end during the pause,
 * `wait` does not pause but returns false, and the caller must give up.
 */
export interface Tries {
  /** Call when the server has answered: `patience` starts again, and the next pause is short again. */
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
