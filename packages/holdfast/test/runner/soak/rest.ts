import type { StoreReader } from "../../../src/store/store.ts";
import { allSessions } from "../../store/audit.ts";

/** Nothing waits, nothing runs, and no child is still to bring its result back. */
export async function isAtRest(store: StoreReader): Promise<boolean> {
  for (const sessionId of await allSessions(store)) {
    const state = await store.lane(sessionId);
    if (state === null) continue;
    if (state.active !== null || state.queue.length > 0 || state.background.length > 0)
      return false;
  }
  return true;
}
