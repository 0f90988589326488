import type { SessionPage, SessionQuery, SessionSummary } from "../../store/session-list.ts";
import type { StoreReader } from "../../store/store.ts";

export interface SessionViews {
  session(sessionId: string): Promise<SessionSummary | null>;
  /** Lists sessions, latest activity first. */
  sessions(query: SessionQuery): Promise<SessionPage>;
}

export function sessionViews(store: StoreReader): SessionViews {
  return {
    session: (sessionId) => store.session(sessionId),
    sessions: (query) => store.listSessions(query),
  };
}
