import type { LaneState } from "../../kernel/state.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** Maximum number of parent sessions to read. Real session trees have far fewer levels. */
const maxDepth = 20;

/** Returns the ids of the sessions above a session: its parent first, the session of a person last. */
export async function sessionsAbove(
  store: Pick<Runtime["store"], "lane">,
  { parent }: Pick<LaneState, "parent">,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let next = parent; next !== null && found.length < maxDepth;) {
    found.push(next.sessionId);
    next = (await store.lane(next.sessionId))?.parent ?? null;
  }
  return found;
}
