import type { LaneEvent } from "../../kernel/event.ts";
import type { StoreReader } from "../../store/store.ts";
import { logOf } from "../../log/session-log.ts";
import { findRun } from "../views/runs.ts";

/** A run's own events and those of the children that it waited for, in order of time. */
export async function runEvents(
  store: StoreReader,
  target: { sessionId: string; runId: string },
): Promise<{ events: readonly LaneEvent[]; background: readonly string[] }> {
  const all: LaneEvent[] = [];
  const background: string[] = [];
  const gather = async (sessionId: string, runId: string): Promise<void> => {
    const start = await findRun(store, { sessionId, runId });
    if (start === null) return;
    for await (const event of logOf(store, sessionId, { after: start.seq - 1 })) {
      if (!("runId" in event) || event.runId !== runId) continue;
      all.push(event);
      if (event.type !== "child.linked") continue;
      if (event.background) background.push(event.childSessionId);
      else {
        const row = await store.prompt(event.childSessionId, event.childPromptId);
        const childRun = row?.runId ?? null;
        if (childRun !== null) await gather(event.childSessionId, childRun);
      }
    }
  };
  await gather(target.sessionId, target.runId);
  // The sort is stable: what has the same time stays in its log's order.
  return { events: all.toSorted((left, right) => left.at - right.at), background };
}
