import type { LaneEvent } from "../../kernel/event.ts";
import { unfinishedStatuses } from "../../kernel/session-status.ts";
import type { LaneState } from "../../kernel/state.ts";
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
/**
 * Number of further events to read in total, back to the accepts of unfinished prompts. Without them, a client must
 * read the log of each session with a long run. A session that needs more than `mostEarlier` gets none.
 */
const allEarlier = 3_000;
const mostEarlier = 600;

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
      let left = allEarlier;
      const windows = sorted.map((summary) => {
        const earlier = Math.max(0, eventsOfWork(summary.state) - limit);
        if (earlier > Math.min(mostEarlier, left)) return { summary, length: limit };
        left -= earlier;
        return { summary, length: limit + earlier };
      });
      const sessions = await Promise.all(
        windows.map(async ({ summary, length }) => {
          const { sessionId, seq } = summary.state;
          const after = seq > length ? seq - length : null;
          return { summary, events: await store.events(sessionId, { after, limit: length }) };
        }),
      );
      return { sessions, hasMore: recent.cursor !== null || working.cursor !== null };
    },
  };
}

/** Number of latest events that include the accepts of all unfinished prompts; 0 without such a prompt. */
function eventsOfWork({ seq, active, queue }: LaneState): number {
  const running = active?.kind === "run" ? active.prompts : [];
  const accepts = [...running, ...queue].flatMap((item) =>
    item.kind === "prompt" ? [item.acceptSeq] : [],
  );
  return accepts.length === 0 ? 0 : seq - Math.min(...accepts) + 1;
}
