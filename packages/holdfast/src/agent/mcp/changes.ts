import type { McpLimits } from "./limits.ts";

/** Gathers a server's word that its lists have changed; the more often it comes, the longer. */
export interface Changes {
  seen(): void;
  stop(): void;
}

const maxDoublings = 16;

export function createChanges(options: {
  readonly limits: Pick<McpLimits, "changeDelay" | "backoff" | "listTimeout">;
  readonly now: () => number;
  /** Reads the lists again. */
  readonly look: (signal: AbortSignal) => Promise<void>;
}): Changes {
  const { limits, now, look } = options;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;
  let isMissed = false;
  let count = 0;
  let last = now();

  const lookNow = async (): Promise<void> => {
    timer = null;
    isLooking = true;
    isMissed = false;
    last = now();
    // After a failure the last known list stays; a new connection is read again.
    await look(stopping.signal).catch(() => {});
    isLooking = false;
    if (isMissed) seen();
  };
  const seen = (): void => {
    if (stopping.signal.aborted || timer !== null) return;
    isMissed = isLooking;
    if (isLooking) return;
    count = now() - last >= limits.backoff.forgetAfter ? 0 : Math.min(count + 1, maxDoublings);
    const wait = Math.min(limits.backoff.max, (limits.changeDelay * 2 ** count) / 2);
    timer = setTimeout(() => void lookNow(), wait).unref();
  };
  return {
    seen,
    stop: () => {
      stopping.abort(new Error("the server is closed"));
      if (timer !== null) clearTimeout(timer);
    },
  };
}
