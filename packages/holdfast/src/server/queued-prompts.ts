import { createMutex } from "../base/serial.ts";
import type { LaneState } from "../kernel/state.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Follower } from "./stream/follower.ts";

export interface QueuedPrompts {
  /** Returns the number of waiting prompts in all sessions. */
  count(): Promise<number>;
  close(): void;
}

const pageSize = 200;

/** Counts waiting prompts. The first call reads every session; later calls read only sessions with new events. */
export function createQueuedPrompts(options: {
  runtime: Pick<Runtime, "sessions" | "store">;
  follower: Follower;
}): QueuedPrompts {
  const { runtime, follower } = options;
  const queued = new Map<string, number>();
  const changed = new Set<string>();
  let stopListening: (() => void) | null = null;
  let hasReadAll = false;
  const take = (sessionId: string, state: LaneState | null): void => {
    const count = state?.queue.filter(({ kind }) => kind === "prompt").length ?? 0;
    if (count === 0) queued.delete(sessionId);
    else queued.set(sessionId, count);
  };
  const readAll = async (): Promise<void> => {
    for (let after: string | null = null; ;) {
      const page: Awaited<ReturnType<Runtime["sessions"]>> = await runtime.sessions({
        limit: pageSize,
        after,
      });
      for (const { state } of page.sessions) take(state.sessionId, state);
      after = page.cursor;
      if (after === null) return;
    }
  };
  const readChanged = async (sessionId: string): Promise<void> => {
    // Delete the id before the read: an event during the read adds it again.
    changed.delete(sessionId);
    try {
      take(sessionId, await runtime.store.lane(sessionId));
    } catch (error) {
      changed.add(sessionId);
      throw error;
    }
  };
  const read = async (): Promise<number> => {
    stopListening ??= follower.listen(({ sessionId }) => changed.add(sessionId));
    // After a failed read, the next call reads every session again.
    if (!hasReadAll) await readAll();
    hasReadAll = true;
    // A copy: a session that changes during its read is added again, for the next call.
    const sessionIds = [...changed];
    for (const sessionId of sessionIds) await readChanged(sessionId);
    return [...queued.values()].reduce((sum, count) => sum + count, 0);
  };
  const oneAtATime = createMutex();
  return {
    count: () => oneAtATime(read),
    close: () => stopListening?.(),
  };
}
