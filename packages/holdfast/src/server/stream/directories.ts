import type { LaneEvent } from "../../kernel/event.ts";
import { createBoundedMap } from "../../base/bounded-map.ts";

/**
 * Caches the directory of each session. A session never changes its directory, so a cached directory is never stale.
 */
export interface Directories {
  /** Loads the directories of the sessions in a page of events, so that they are known when the page is delivered. */
  learn(page: readonly LaneEvent[]): Promise<void>;
  /** Returns the directory of the session; null if the directory was never loaded, or was dropped from the cache. */
  of(sessionId: string): string | null;
}

const kept = 10_000;

export function createDirectories(
  lookUp: (sessionId: string) => Promise<string | null>,
): Directories {
  const known = createBoundedMap<string, string>(kept);
  return {
    learn: async (page) => {
      for (const event of page) {
        if (event.type === "session.created") known.set(event.sessionId, event.directory);
      }
      const sessionIds = new Set(page.map(({ sessionId }) => sessionId));
      await Promise.all(
        [...sessionIds].map(async (sessionId) => {
          // Store the directory again even if it is known. It then becomes the newest entry of the cache, so the other
          // sessions of the page do not evict it.
          const directory = known.get(sessionId) ?? (await lookUp(sessionId));
          if (directory !== null) known.set(sessionId, directory);
        }),
      );
    },
    of: (sessionId) => known.get(sessionId),
  };
}
