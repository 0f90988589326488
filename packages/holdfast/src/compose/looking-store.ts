import { withoutOwner } from "../kernel/session-status.ts";
import { withStatus } from "../store/session-list.ts";
import type { SessionQuery, SessionSummary } from "../store/session-list.ts";
import { StoreError } from "../store/store-error.ts";
import type { Store, StoreReader } from "../store/store.ts";

/** A store that can be read and refuses every change. */
export function lookingStore(reader: StoreReader): Store {
  return {
    ...reader,
    ...sessionsWithoutServer(reader),
    peek: () => null,
    execute: refuse,
    putRecord: refuse,
    removeRecord: refuse,
    addUpload: refuse,
    sweepUploads: refuse,
    removeBodies: refuse,
    writeSearch: refuse,
    clearSearch: refuse,
    compact: refuse,
    // A process that only reads owns no lanes, so its lease need not be stored.
    join: async (lease) => ({ ...lease, expiresAt: (await reader.now()) + lease.ttl }),
    renew: async () => ({ status: "renewed", expiresAt: (await reader.now()) + 60_000, lanes: [] }),
    leave: () => Promise.resolve(),
    pending: () => Promise.resolve({ lanes: [], nextDueIn: null }),
    readySince: () => Promise.resolve(null),
    watch: () => () => {},
    messages: null,
    rejectedNotifications: () => 0,
  };
}

function refuse(): Promise<never> {
  return Promise.reject(
    new StoreError("storeReadOnly", "the store was opened read-only; nothing can be changed"),
  );
}

/**
 * Reads sessions. A run whose owner's lease has expired is cut off, although the store keeps the owner until another
 * process takes the run over.
 */
function sessionsWithoutServer(reader: StoreReader): Pick<StoreReader, "session" | "listSessions"> {
  const current = async (summary: SessionSummary): Promise<SessionSummary> => {
    const { state, updatedAt } = summary;
    const owner = state.active?.owner ?? null;
    const lease = owner === null ? null : await reader.node(owner);
    if (owner === null || lease?.alive === true) return summary;
    return { ...summary, state: withoutOwner(state, lease?.expiresAt ?? updatedAt) };
  };
  return {
    session: async (sessionId) => {
      const summary = await reader.session(sessionId);
      return summary === null ? null : current(summary);
    },
    listSessions: async (query) => {
      const { sessions, cursor } = await reader.listSessions(withRunning(query));
      return { sessions: withStatus(await Promise.all(sessions.map(current)), query), cursor };
    },
  };
}

/** Adds sessions that the store has as running to a query for sessions that may be cut off. */
function withRunning(query: SessionQuery): SessionQuery {
  const { statuses } = query;
  const mayBeCutOff = statuses?.some((status) => status === "cutOff" || status === "held") === true;
  return mayBeCutOff ? { ...query, statuses: [...(statuses ?? []), "running"] } : query;
}
