import type { DatabaseSync } from "node:sqlite";
import { attention } from "../../kernel/attention.ts";
import { unpackState } from "../../kernel/packed.ts";
import type { LaneState } from "../../kernel/state.ts";
import { heldByFailure } from "../session-list.ts";
import type { HeldSession, SessionSummary, StoredLane } from "../session-list.ts";
import type { Page } from "../store.ts";
import type { KnownLane } from "./lane-cache.ts";
import { optional, optionalText, optionalWhole, text, whole } from "./row.ts";
import type { SqlRow } from "./row.ts";

/** All reads of lane rows, on prepared statements. */
export interface Lanes {
  /** Returns the row number of the lane. */
  numberOf(sessionId: string): number | null;
  known(sessionId: string): KnownLane | null;
  readySince(sessionId: string): number | null;
  ids(page: Page<string>): string[];
  summary(sessionId: string): SessionSummary | null;
  failureHolds(directories: readonly string[] | null): HeldSession[];
  stored(sessionId: string): StoredLane | null;
}

export function prepareLanes(database: DatabaseSync): Lanes {
  const number = database.prepare("SELECT lane FROM lanes WHERE session_id = ?");
  const ids = database.prepare(
    "SELECT session_id FROM lanes WHERE session_id > ? ORDER BY session_id LIMIT ?",
  );
  const row = database.prepare("SELECT * FROM lanes WHERE session_id = ?");
  const since = database.prepare("SELECT ready_at FROM lanes WHERE session_id = ?");
  // Searches the stored text for "failure" before parsing it: few sessions are paused after a failure, and parsing the
  // state of every session would take much longer.
  const held = database.prepare(
    `SELECT state FROM lanes
     WHERE (:directories IS NULL OR directory IN (SELECT value FROM json_each(:directories)))
       AND instr(state, '"failure"') > 0
     ORDER BY session_id`,
  );
  return {
    numberOf: (sessionId) => optional(number.get(sessionId), readNumber),
    known: (sessionId) => optional(row.get(sessionId), readKnown),
    readySince: (sessionId) =>
      optional(since.get(sessionId), (found) => optionalWhole(found, "ready_at")),
    ids: ({ after, limit }) => ids.all(after ?? "", limit).map((row) => text(row, "session_id")),
    summary: (sessionId) => optional(row.get(sessionId), readSummary),
    failureHolds: (directories) => {
      const names = directories?.map((directory) => JSON.stringify(directory)) ?? null;
      const rows = held.all({ directories: names === null ? null : JSON.stringify(names) });
      return heldByFailure(rows.map(readState));
    },
    stored: (sessionId) => optional(row.get(sessionId), readStored),
  };
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

export function readSummary(row: SqlRow): SessionSummary {
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
