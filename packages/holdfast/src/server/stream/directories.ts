import type { LaneEvent } from "../../kernel/event.ts";
import { createBoundedMap } from "../../base/bounded-map.ts";

/** Which directory a session is in: it never changes, so it is looked up once. */
export interface Directories {
  /** Those of a page's sessions are known from here on, for as long as it takes to pass it on. */
  learn(page: readonly LaneEvent[]): Promise<void>;
  /** Null when it was not learned, or long ago. */
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
          // Set again it is the youngest: the others of its page do not push it out.
          const directory = known.get(sessionId) ?? (await lookUp(sessionId));
          if (directory !== null) known.set(sessionId, directory);
        }),
      );
    },
    of: (sessionId) => known.get(sessionId),
  };
}
