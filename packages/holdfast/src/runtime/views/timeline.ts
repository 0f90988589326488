import type { LaneEvent } from "../../kernel/event.ts";
import { unfinishedStatuses } from "../../kernel/session-status.ts";
import type { SessionSummary } from "../../store/session-list.ts";
import type { StoreReader } from "../../store/store.ts";

export interface TimelineViews {
  /** Returns the latest events of all sessions with unfinished work and of the most recently active sessions. */
  timeline(query: TimelineQuery): Promise<ServerTimeline>;
}

export interface TimelineQuery {
  /** Number of most recently active sessions to include, besides those with unfinished work. */
  readonly latest: number;
  /** Directories that the caller is limited to; null: no limit. */
  readonly directories: readonly string[] | null;
}

export interface ServerTimeline {
  /** Sessions with their latest events; latest activity first. */
  readonly sessions: readonly {
    readonly summary: SessionSummary;
    readonly events: readonly LaneEvent[];
  }[];
  /** True if sessions were left out. */
  readonly hasMore: boolean;
}

/** Maximum number of sessions with unfinished work in the timeline. */
const most = 400;
/** Number of events to read in total. Each session gets an equal part, within the limits in `perSession`. */
const allEvents = 3_000;
const perSession = { least: 8, most: 120 };

export function timelineViews(store: StoreReader): TimelineViews {
  return {
    timeline: async ({ latest, directories }) => {
      const limited = directories === null ? {} : { directories };
      const [working, recent] = await Promise.all([
        store.listSessions({ ...limited, statuses: unfinishedStatuses, limit: most, after: null }),
        store.listSessions({ ...limited, limit: Math.max(1, latest), after: null }),
      ]);
      const known = new Map(
        [...recent.sessions.slice(0, latest), ...working.sessions].map((summary) => [
          summary.state.sessionId,
          summary,
        ]),
      );
      const sorted = [...known.values()].toSorted((one, other) => other.updatedAt - one.updatedAt);
      const part = Math.floor(allEvents / Math.max(1, sorted.length));
      const limit = Math.min(perSession.most, Math.max(perSession.least, part));
      const sessions = await Promise.all(
        sorted.map(async (summary) => {
          const { sessionId, seq } = summary.state;
          const after = seq > limit ? seq - limit : null;
          return { summary, events: await store.events(sessionId, { after, limit }) };
        }),
      );
      return { sessions, hasMore: recent.cursor !== null || working.cursor !== null };
    },
  };
}
