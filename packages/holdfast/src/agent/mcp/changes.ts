import type { McpLimits } from "./limits.ts";

/** Batches "list changed" notifications of a server. Frequent notifications increase the delay. */
export interface Changes {
  notify(): void;
  stop(): void;
}

const maxDoublings = 16;

export function createChanges(options: {
  readonly limits: Pick<McpLimits, "changeDelay" | "backoff" | "listTimeout">;
  readonly now: () => number;
  /** Reads the lists of tools, prompts and resources from the MCP server again. */
  readonly readLists: (signal: AbortSignal) => Promise<void>;
}): Changes {
  const { limits, now, readLists } = options;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  let isReading = false;
  let isMissed = false;
  let count = 0;
  let last = now();

  const readNow = async (): Promise<void> => {
    timer = null;
    isReading = true;
    isMissed = false;
    last = now();
    // If reading fails, keep the previous lists. A new connection reads them again.
    await readLists(stopping.signal).catch(() => {});
    isReading = false;
    if (isMissed) notify();
  };
  const notify = (): void => {
    if (stopping.signal.aborted || timer !== null) return;
    isMissed = isReading;
    if (isReading) return;
    count = now() - last >= limits.backoff.forgetAfter ? 0 : Math.min(count + 1, maxDoublings);
    const wait = Math.min(limits.backoff.max, (limits.changeDelay * 2 ** count) / 2);
    timer = setTimeout(() => void readNow(), wait).unref();
  };
  return {
    notify,
    stop: () => {
      stopping.abort(new Error("the MCP server was closed"));
      if (timer !== null) clearTimeout(timer);
    },
  };
}
