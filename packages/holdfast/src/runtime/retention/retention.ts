import type { Actor } from "../../kernel/event.ts";
import type { LaneState } from "../../kernel/state.ts";
import { sessionCursor } from "../../store/session-list.ts";
import type { Store, StoreReader } from "../../store/store.ts";

/** Ages in milliseconds since a session's last event. Null: the rule is off. */
export interface RetentionRules {
  readonly archiveAfter: number | null;
  /** Age at which archived sessions are deleted. */
  readonly deleteArchivedAfter: number | null;
}

/** An idle session and the `seq` of its last event, which shows later whether the session has changed. */
export interface OldSession {
  readonly sessionId: string;
  readonly seq: number;
}

export interface RetentionPlan {
  readonly archive: readonly OldSession[];
  readonly remove: readonly OldSession[];
}

/** Lists the sessions to archive or delete now. Sessions that are not idle are left out. */
export async function planRetention(
  store: Pick<StoreReader, "listSessions" | "now">,
  rules: RetentionRules,
): Promise<RetentionPlan> {
  const now = await store.now();
  const old = async (after: number | null, archived: boolean): Promise<OldSession[]> => {
    const found: OldSession[] = [];
    if (after === null) return found;
    let cursor: string | null = sessionCursor({
      updatedAt: Math.max(0, now - after),
      sessionId: "!",
    });
    while (cursor !== null) {
      const page = await store.listSessions({ archived, limit: pageSize, after: cursor });
      for (const { state } of page.sessions) {
        const { sessionId, seq } = state;
        if (isIdle(state)) found.push({ sessionId, seq });
      }
      cursor = page.cursor;
    }
    return found;
  };
  const { archiveAfter, deleteArchivedAfter } = rules;
  return {
    archive: await old(archiveAfter, false),
    remove: await old(deleteArchivedAfter, true),
  };
}

/** Archives and deletes the sessions in the plan, except for sessions that have changed since the plan was made. */
export async function carryOut(
  store: Pick<Store, "execute">,
  plan: RetentionPlan & { actor: Actor },
): Promise<void> {
  const { actor } = plan;
  for (const { sessionId, seq: asOf } of plan.archive) {
    await store.execute({
      command: { type: "session.archive", sessionId, archived: true, asOf, actor },
    });
  }
  for (const { sessionId, seq: asOf } of plan.remove) {
    await store.execute({ command: { type: "session.delete", sessionId, asOf, actor } });
  }
}

const pageSize = 200;

function isIdle(state: LaneState): boolean {
  const { status, queue, holds, background } = state;
  return (
    status !== "deleted" &&
    state.active === null &&
    queue.length === 0 &&
    holds.length === 0 &&
    background.length === 0
  );
}
