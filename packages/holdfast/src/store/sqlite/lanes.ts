import type { DatabaseSync } from "node:sqlite";
import { attention } from "../../kernel/attention.ts";
import { unpackState } from "../../kernel/packed.ts";
import type { LaneState } from "../../kernel/state.ts";
import {
  beginnings,
  heldByFailure,
  pageOf,
  readSessionCursor,
  searchable,
} from "../session-list.ts";
import type {
  HeldSession,
  SessionPage,
  SessionQuery,
  SessionSummary,
  StoredLane,
} from "../session-list.ts";
import type { Page } from "../store.ts";
import type { KnownLane } from "./lane-cache.ts";
import { optional, optionalText, optionalWhole, text, whole } from "./row.ts";
import type { SqlRow } from "./row.ts";

/** Every read of the lanes' rows, each on a statement that is prepared once. */
export interface Lanes {
  /** The number of the lane's row. */
  numberOf(sessionId: string): number | null;
  known(sessionId: string): KnownLane | null;
  ids(page: Page<string>): string[];
  summary(sessionId: string): SessionSummary | null;
  list(query: SessionQuery): SessionPage;
  failureHolds(directories: readonly string[] | null): HeldSession[];
  stored(sessionId: string): StoredLane | null;
}

export function prepareLanes(database: DatabaseSync): Lanes {
  const number = database.prepare("SELECT lane FROM lanes WHERE session_id = ?");
  const ids = database.prepare(
    "SELECT session_id FROM lanes WHERE session_id > ? ORDER BY session_id LIMIT ?",
  );
  const row = database.prepare("SELECT * FROM lanes WHERE session_id = ?");
  const list = prepareList(database);
  // The text is sought first: few lanes are held, and parsing every state would take far longer.
  const held = database.prepare(
    `SELECT state FROM lanes
     WHERE (:directories IS NULL OR directory IN (SELECT value FROM json_each(:directories)))
       AND instr(state, '"failure"') > 0
     ORDER BY session_id`,
  );
  return {
    numberOf: (sessionId) => optional(number.get(sessionId), readNumber),
    known: (sessionId) => optional(row.get(sessionId), readKnown),
    ids: ({ after, limit }) => ids.all(after ?? "", limit).map((row) => text(row, "session_id")),
    summary: (sessionId) => optional(row.get(sessionId), readSummary),
    list,
    failureHolds: (directories) => {
      const names = directories?.map((directory) => JSON.stringify(directory)) ?? null;
      const rows = held.all({ directories: names === null ? null : JSON.stringify(names) });
      return heldByFailure(rows.map(readState));
    },
    stored: (sessionId) => optional(row.get(sessionId), readStored),
  };
}

/**
 * Looks at the row of every lane, or of every one that is not archived, but sorts only what it is sorted
 * by, and reads only the states that it shows: an index by activity would have to be kept up by each and
 * every commit.
 */
function prepareList(database: DatabaseSync): (query: SessionQuery) => SessionPage {
  const all = database.prepare(
    listing("lanes WHERE deleted = :deleted AND (:archived IS NULL OR archived = :archived)"),
  );
  // Said in so many words, so that the index of these is known to hold all that is wanted.
  const current = database.prepare(
    listing("lanes INDEXED BY lanes_current WHERE deleted = 0 AND archived = 0"),
  );
  return (query) => {
    const { directory, directories, search, archived, parent, deleted, limit, after } = query;
    const place = after === null ? null : readSessionCursor(after);
    const isCurrent = deleted !== true && archived === false;
    const chosen = {
      deleted: deleted === true ? 1 : 0,
      archived: archived === undefined || archived === null ? null : Number(archived),
    };
    const rest = {
      directory: directory === undefined ? null : JSON.stringify(directory),
      beginnings: directories === undefined ? null : JSON.stringify(beginnings(directories)),
      anyParent: parent === undefined ? 1 : 0,
      parent: parent ?? null,
      search: search === undefined ? null : searchable(search),
      updatedAt: place?.updatedAt ?? null,
      sessionId: place?.sessionId ?? null,
      limit,
    };
    const rows = isCurrent ? current.all(rest) : all.all({ ...chosen, ...rest });
    return pageOf(rows.map(readSummary), limit);
  };
}

function listing(lanes: string): string {
  return `
    SELECT created_at, updated_at, state FROM lanes WHERE lane IN (
      SELECT lane FROM ${lanes}
         AND (:directory IS NULL OR directory = :directory)
         AND (:anyParent OR parent IS :parent)
         AND (:search IS NULL OR instr(search, :search) > 0)
         AND (:beginnings IS NULL OR EXISTS (
           SELECT 1 FROM json_each(:beginnings)
           WHERE substr(substr(directory, 1, length(directory) - 1) || '/', 1, length(value)) = value))
         AND (:sessionId IS NULL OR (updated_at, session_id) < (:updatedAt, :sessionId))
       ORDER BY updated_at DESC, session_id DESC LIMIT :limit)
     ORDER BY updated_at DESC, session_id DESC`;
}

function readNumber(row: SqlRow): number {
  return whole(row, "lane");
}

function readKnown(row: SqlRow): KnownLane {
  const state = readState(row);
  const recent: number[] = JSON.parse(text(row, "recent"));
  return { lane: readNumber(row), state, attention: attention(state), recent };
}

function readState(row: SqlRow): LaneState {
  return unpackState(JSON.parse(text(row, "state")));
}

function readSummary(row: SqlRow): SessionSummary {
  return {
    state: readState(row),
    createdAt: whole(row, "created_at"),
    updatedAt: whole(row, "updated_at"),
  };
}

function readStored(row: SqlRow): StoredLane {
  return {
    ...readSummary(row),
    directory: JSON.parse(text(row, "directory")),
    labels: {
      deleted: whole(row, "deleted") === 1,
      archived: whole(row, "archived") === 1,
      parent: optionalText(row, "parent"),
      search: text(row, "search"),
    },
    attention: {
      ready: optionalText(row, "ready"),
      dueAt: optionalWhole(row, "due_at"),
      owner: optionalText(row, "owner"),
    },
  };
}
