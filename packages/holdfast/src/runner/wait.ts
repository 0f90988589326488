import type { LedgerRow } from "../kernel/ledger.ts";
import type { StoreReader } from "../store/store.ts";
import { hintsFor } from "./hints.ts";
import type { LaneHub } from "./lane-hub.ts";

/**
 * The prompt's ledger entry once it is settled, or as it is when the signal aborts first; null for
 * an unknown prompt. There is no moment at which its outcome could be missed (P4).
 */
export async function waitForPrompt(
  parts: { store: StoreReader; lanes: LaneHub },
  target: { sessionId: string; promptId: string; signal?: AbortSignal },
): Promise<LedgerRow | null> {
  const { sessionId, promptId, signal } = target;
  const hints = hintsFor(parts.lanes, { sessionId, signal });
  try {
    for (;;) {
      hints.arm();
      const row = await parts.store.prompt(sessionId, promptId);
      if (row === null || row.status === "settled" || signal?.aborted === true) return row;
      await hints.next();
    }
  } finally {
    hints.close();
  }
}
