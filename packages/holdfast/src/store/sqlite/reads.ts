import type { DatabaseSync } from "node:sqlite";
import type { LaneEvent, Receipt } from "../../kernel/event.ts";
import type { AskRow, LedgerRow } from "../../kernel/ledger.ts";
import type { LaneState } from "../../kernel/state.ts";
import { bytes, text, whole } from "./row.ts";
import type { SqlRow } from "./row.ts";

/** Every read of a session's data, each on a statement that is prepared once. */
export interface Reads {
  lane(sessionId: string): LaneState | null;
  prompt(sessionId: string, promptId: string): LedgerRow | null;
  prompts(sessionId: string, page: { after: number; limit: number }): LedgerRow[];
  ask(sessionId: string, askId: string): AskRow | null;
  receipt(sessionId: string, cancelId: string): Receipt | null;
  events(sessionId: string, page: { after: number; limit: number }): LaneEvent[];
  /** Events of all sessions in the order of their commit, each with its position. */
  feed(page: { after: number; limit: number }): { position: number; event: LaneEvent }[];
  /** The position of the newest event. */
  end(): number;
  body(hash: string): Uint8Array | null;
  sessions(page: { after: string; limit: number }): string[];
  /** The latest time that anything in the store bears. */
  newestTime(): number;
}

export function prepareReads(database: DatabaseSync): Reads {
  const lane = database.prepare("SELECT state FROM lanes WHERE session_id = ?");
  const prompt = database.prepare(
    `SELECT row FROM events JOIN prompts
       ON prompts.session_id = events.session_id AND prompts.accept_seq = events.seq
     WHERE events.session_id = ? AND events.subject = ?
       AND events.type IN ('prompt.accepted', 'prompt.tombstoned')`,
  );
  const prompts = database.prepare(
    "SELECT row FROM prompts WHERE session_id = ? AND accept_seq > ? ORDER BY accept_seq LIMIT ?",
  );
  const ask = database.prepare("SELECT row FROM asks WHERE session_id = ? AND ask_id = ?");
  const receipt = database.prepare(
    "SELECT receipt FROM cancels WHERE session_id = ? AND cancel_id = ?",
  );
  const events = database.prepare(
    `SELECT session_id, seq, type, at, data FROM events
     WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const feed = database.prepare(
    `SELECT position, session_id, seq, type, at, data FROM events
     WHERE position > ? ORDER BY position LIMIT ?`,
  );
  const end = database.prepare("SELECT coalesce(max(position), 0) AS position FROM events");
  const body = database.prepare("SELECT content FROM bodies WHERE hash = ?");
  const sessions = database.prepare(
    "SELECT session_id FROM lanes WHERE session_id > ? ORDER BY session_id LIMIT ?",
  );
  const newestTime = database.prepare(
    `SELECT max(
       coalesce((SELECT at FROM events ORDER BY position DESC LIMIT 1), 0),
       coalesce((SELECT max(renewed_at) FROM nodes), 0),
       coalesce((SELECT max(ended_at) FROM nodes), 0)
     ) AS at`,
  );
  return {
    lane: (sessionId) =>
      optional(lane.get(sessionId), (row): LaneState => JSON.parse(text(row, "state"))),
    prompt: (sessionId, promptId) =>
      optional(prompt.get(sessionId, promptId), (row): LedgerRow => JSON.parse(text(row, "row"))),
    prompts: (sessionId, { after, limit }) =>
      prompts.all(sessionId, after, limit).map((row): LedgerRow => JSON.parse(text(row, "row"))),
    ask: (sessionId, askId) =>
      optional(ask.get(sessionId, askId), (row): AskRow => JSON.parse(text(row, "row"))),
    receipt: (sessionId, cancelId) =>
      optional(receipt.get(sessionId, cancelId), (row): Receipt =>
        JSON.parse(text(row, "receipt")),
      ),
    events: (sessionId, { after, limit }) => events.all(sessionId, after, limit).map(readEvent),
    feed: ({ after, limit }) =>
      feed.all(after, limit).map((row) => ({
        position: whole(row, "position"),
        event: readEvent(row),
      })),
    end: () => whole(end.get() ?? {}, "position"),
    body: (hash) => optional(body.get(hash), (row) => bytes(row, "content")),
    sessions: ({ after, limit }) =>
      sessions.all(after, limit).map((row) => text(row, "session_id")),
    newestTime: () => whole(newestTime.get() ?? {}, "at"),
  };
}

function optional<Value>(row: SqlRow | undefined, read: (row: SqlRow) => Value): Value | null {
  return row === undefined ? null : read(row);
}

/** The columns and the data were taken from one event, so together they are one again. */
function readEvent(row: SqlRow): LaneEvent {
  return {
    ...JSON.parse(text(row, "data")),
    sessionId: text(row, "session_id"),
    seq: whole(row, "seq"),
    at: whole(row, "at"),
    type: text(row, "type"),
  };
}
