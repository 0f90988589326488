import type { LaneEvent } from "../../kernel/event.ts";
import type { Runtime } from "../../runner/runtime.ts";

/** Which directory a session is in: it never changes, so it is looked up once. */
export interface Directories {
  learn(events: readonly LaneEvent[]): Promise<void>;
  /** Null when it was not learned, or long ago. */
  of(sessionId: string): string | null;
}

const kept = 10_000;

export function createDirectories(store: Pick<Runtime["store"], "lane">): Directories {
  const known = new Map<string, string>();
  const set = (sessionId: string, directory: string): void => {
    known.delete(sessionId);
    known.set(sessionId, directory);
    const oldest = known.size > kept ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
  };
  return {
    learn: async (events) => {
      for (const event of events) {
        if (event.type === "session.created") set(event.sessionId, event.directory);
      }
      const unknown = new Set(events.map(({ sessionId }) => sessionId)).difference(known);
      await Promise.all(
        [...unknown].map(async (sessionId) => {
          const state = await store.lane(sessionId);
          if (state !== null) set(sessionId, state.directory);
        }),
      );
    },
    of: (sessionId) => known.get(sessionId) ?? null,
  };
}
