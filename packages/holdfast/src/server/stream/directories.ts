import type { LaneEvent } from "../../kernel/event.ts";
import { createBoundedMap } from "../../base/bounded-map.ts";

/** Directory of each session. It never changes, so it is looked up once. */
export interface Directories {
  /**
   * Loads the directories of a page's sessions, so that they are known while the page is delivered.
   */
  learn(page: readonly LaneEvent[]): Promise<void>;
  /** Returns the directory; null if it was never loaded or has been dropped. */
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
          // Setting the entry again makes it the newest one, so other sessions of the page do not evict it.
          const directory = known.get(sessionId) ?? (await lookUp(sessionId));
          if (directory !== null) known.set(sessionId, directory);
        }),
      );
    },
    of: (sessionId) => known.get(sessionId),
  };
}
