import type { StoreReader } from "../../../src/store/store.ts";
import { allSessions } from "../../store/audit.ts";

/** True if nothing waits or runs, and no child result is still to arrive. */
export async function isAtRest(store: StoreReader): Promise<boolean> {
  for (const sessionId of await allSessions(store)) {
    const state = await store.lane(sessionId);
    if (state === null) continue;
    if (state.active !== null || state.queue.length > 0) return false;
    for (const child of state.background) {
      if ((await store.prompt(child.sessionId, child.promptId)) !== null) return false;
    }
  }
  return true;
}
