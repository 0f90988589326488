import type { DatabaseSync } from "node:sqlite";
import type { LaneEvent, Receipt } from "../../kernel/event.ts";
import { foldRow, workChange } from "../../kernel/ledger.ts";
import type { AskRow, WorkRow } from "../../kernel/ledger.ts";
import type { AskKey, AskPage, EventPage, Page } from "../store.ts";
import { prepareLedgerReads } from "./ledger-reads.ts";
import type { LedgerReads } from "./ledger-reads.ts";
import { eventTable } from "../../kernel/event-table.ts";
import { inOrder, optional, text, whole } from "./row.ts";
import type { SqlRow } from "./row.ts";

const firstOfWork = eventTable["work.queued"].once.number;
const lastOfWork = eventTable["work.ended"].once.number;

/** All reads of a session's data, on prepared statements. */
export interface Reads extends LedgerReads {
  ask(sessionId: string, askId: string): AskRow | null;
  asks(sessionId: string, page: AskPage): AskRow[];
  openAsks(page: Page<AskKey>): AskRow[];
  work(lane: number, workId: string): WorkRow | null;
  receipt(sessionId: string, cancelId: string): Receipt | null;
  events(lane: number, page: EventPage): LaneEvent[];
  /** Lists the events of all sessions in commit order, each with its position. */
  feed(page: { after: number; limit: number }): { position: number; event: LaneEvent }[];
  /** Returns the position of the newest event. */
  end(): number;
  /** Returns the time of the event at a position; null if there is none. */
  timeAt(position: number): number | null;
  /** Returns the latest time that is stored anywhere in the store. */
  newestTime(): number;
}

const isOfTypes = "(:types IS NULL OR type IN (SELECT value FROM json_each(:types)))";

export function prepareReads(database: DatabaseSync): Reads {
  const ledger = prepareLedgerReads(database);
  const ask = database.prepare("SELECT row FROM asks WHERE session_id = ? AND ask_id = ?");
  // Pages are in order of the opening time. The page key is an ask id; the row of that ask contains the opening time,
  // even after the ask was answered.
  const asks = database.prepare(
    `SELECT row FROM asks
     WHERE session_id = ?1 AND (?3 IS NULL OR open = ?3) AND (?2 IS NULL OR (opened_at, ask_id) >
       (SELECT opened_at, ask_id FROM asks WHERE session_id = ?1 AND ask_id = ?2))
     ORDER BY opened_at, ask_id LIMIT ?4`,
  );
  const openAsks = database.prepare(
    `SELECT row FROM asks
     WHERE open = 1 AND (?1 IS NULL OR (opened_at, session_id, ask_id) >
       (SELECT opened_at, session_id, ask_id FROM asks WHERE session_id = ?1 AND ask_id = ?2))
     ORDER BY opened_at, session_id, ask_id LIMIT ?3`,
  );
  const work = database.prepare(
    `SELECT data FROM events
     WHERE lane = ? AND subject = ? AND once BETWEEN ${firstOfWork} AND ${lastOfWork} ORDER BY once`,
  );
  const receipt = database.prepare(
    "SELECT receipt FROM cancels WHERE session_id = ? AND cancel_id = ?",
  );
  const events = database.prepare(
    inOrder({ select: "events.data", from: "events", where: "true" }),
  );
  const eventsOfTypes = database.prepare(
    inOrder({
      select: "events.data",
      from: "events",
      where: "events.type IN (SELECT value FROM json_each(:types))",
    }),
  );
  const eventsOfSubject = database.prepare(
    `SELECT seq, data FROM events
     WHERE lane = :lane AND subject = :subject AND once IS NOT NULL AND seq > :after AND ${isOfTypes}
     UNION ALL
     SELECT seq, data FROM events WHERE position = :settledAt AND seq > :after AND ${isOfTypes}
     ORDER BY seq LIMIT :limit`,
  );
  const feed = database.prepare(
    "SELECT position, data FROM events WHERE position > ? ORDER BY position LIMIT ?",
  );
  const end = database.prepare("SELECT coalesce(max(position), 0) AS position FROM events");
  const timeAt = database.prepare("SELECT at FROM events WHERE position = ?");
  const newestTime = database.prepare(
    `SELECT max(
       coalesce((SELECT at FROM events ORDER BY position DESC LIMIT 1), 0),
       coalesce((SELECT max(renewed_at) FROM nodes), 0),
       coalesce((SELECT max(ended_at) FROM nodes), 0)
     ) AS at`,
  );
  return {
    ...ledger,
    ask: (sessionId, askId) => optional(ask.get(sessionId, askId), readAsk),
    work: (lane, workId) =>
      foldRow(null, workId, work.all(lane, workId).map(readEvent).map(workChange)),
    receipt: (sessionId, cancelId) =>
      optional(receipt.get(sessionId, cancelId), (row): Receipt =>
        JSON.parse(text(row, "receipt")),
      ),
    asks: (sessionId, { after, limit, open }) =>
      asks.all(sessionId, after, open === undefined ? null : Number(open), limit).map(readAsk),
    openAsks: ({ after, limit }) =>
      openAsks.all(after?.sessionId ?? null, after?.askId ?? null, limit).map(readAsk),
    events: (lane, { after, limit, types, subject }) => {
      const page = { lane, after: after ?? 0, limit };
      const named = types === undefined ? null : JSON.stringify(types);
      if (subject !== undefined) {
        const settledAt = ledger.settledAt(lane, subject);
        return eventsOfSubject.all({ ...page, types: named, subject, settledAt }).map(readEvent);
      }
      const found =
        named === null ? events.all(page) : eventsOfTypes.all({ ...page, types: named });
      return found.map(readEvent);
    },
    feed: ({ after, limit }) =>
      feed.all(after, limit).map((row) => ({
        position: whole(row, "position"),
        event: readEvent(row),
      })),
    end: () => whole(end.get() ?? {}, "position"),
    timeAt: (position) => optional(timeAt.get(position), (row) => whole(row, "at")),
    newestTime: () => whole(newestTime.get() ?? {}, "at"),
  };
}

function readAsk(row: SqlRow): AskRow {
  return JSON.parse(text(row, "row"));
}

function readEvent(row: SqlRow): LaneEvent {
  return JSON.parse(text(row, "data"));
}
