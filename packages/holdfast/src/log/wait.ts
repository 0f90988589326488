import type { LedgerRow } from "../kernel/ledger.ts";
import type { StoreReader } from "../store/store.ts";
import { hintsFor } from "./hints.ts";
import type { LaneHub } from "./lane-hub.ts";

/**
 * The prompt's ledger entry once it is settled, or as it is when the signal aborts first; null for
 * an unknown prompt. There is no moment at which its outcome could be missed (P4).
 */
export function waitForPrompt(
  parts: { store: StoreReader; lanes: LaneHub },
  target: { sessionId: string; promptId: string; signal?: AbortSignal | undefined },
): Promise<LedgerRow | null> {
  const { sessionId, promptId, signal } = target;
  return waitForRow(parts, {
    sessionId,
    read: () => parts.store.prompt(sessionId, promptId),
    isOver: ({ status }) => status === "settled",
    signal,
  });
}

/** Reads a row of a session until it is over, there is none, or the signal aborts. */
export async function waitForRow<Row>(
  parts: { lanes: LaneHub },
  target: {
    sessionId: string;
    read: () => Promise<Row | null>;
    isOver: (row: Row) => boolean;
    signal: AbortSignal | undefined;
  },
): Promise<Row | null> {
  const { sessionId, read, isOver, signal } = target;
  const hints = hintsFor(parts.lanes, { sessionId, signal });
  try {
    for (;;) {
      hints.arm();
      const row = await read();
      if (row === null || isOver(row) || signal?.aborted === true) return row;
      await hints.next();
    }
  } finally {
    hints.close();
  }
}
