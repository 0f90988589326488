import { unpackState } from "../../kernel/packed.ts";
import type { PackedState } from "../../kernel/packed.ts";
import type { LaneState } from "../../kernel/state.ts";
import { checkLimit } from "../limits.ts";
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
import type { Database } from "./database.ts";
import { storable } from "./lane-read.ts";

export async function readState(database: Database, sessionId: string): Promise<LaneState | null> {
  const [row] = await database.rows<{ state: PackedState }>({
    text: "SELECT state FROM lanes WHERE session_id = $1",
    values: [storable(sessionId)],
  });
  return row === undefined ? null : unpackState(row.state);
}

export async function readSessionIds(database: Database, page: Page<string>): Promise<string[]> {
  const rows = await database.rows<{ session_id: string }>({
    text: "SELECT session_id FROM lanes WHERE session_id > $1 ORDER BY session_id LIMIT $2",
    values: [storable(page.after ?? ""), checkLimit(page.limit)],
  });
  return rows.map((row) => row.session_id);
}

export async function readSummary(
  database: Database,
  sessionId: string,
): Promise<SessionSummary | null> {
  const row = await readRow(database, sessionId);
  return row === null ? null : summaryOf(row);
}

export async function readStoredLane(
  database: Database,
  sessionId: string,
): Promise<StoredLane | null> {
  const row = await readRow(database, sessionId);
  if (row === null) return null;
  const { directory, deleted, archived, parent, search } = row;
  return {
    ...summaryOf(row),
    directory,
    labels: { deleted, archived, parent, search },
    attention: { ready: row.ready, dueAt: row.due_at, owner: row.owner },
  };
}

/** The states are read in the outer query, of those lanes alone that are shown. */
export async function listSessions(database: Database, query: SessionQuery): Promise<SessionPage> {
  const { directory, directories, search, archived, parent, deleted, after } = query;
  const limit = checkLimit(query.limit);
  const place = after === null ? null : readSessionCursor(after);
  const rows = await database.rows<SummaryRow>({
    text: `
      SELECT created_at, updated_at, state FROM lanes
      WHERE session_id = ANY (ARRAY (
        SELECT session_id FROM lanes
        WHERE deleted = $1
          AND ($2::boolean IS NULL OR archived = $2)
          AND ($3::text IS NULL OR directory::text = $3)
          AND ($4::text[] IS NULL OR EXISTS (
            SELECT FROM unnest($4) AS beginning
            WHERE starts_with(left(directory::text, -1) || '/', beginning)))
          AND ($5 OR parent IS NOT DISTINCT FROM $6)
          AND ($7::text IS NULL OR strpos(search, $7) > 0)
          AND ($9::text IS NULL OR (updated_at, session_id) < ($8, $9))
        ORDER BY updated_at DESC, session_id DESC LIMIT $10))
      ORDER BY updated_at DESC, session_id DESC`,
    values: [
      deleted ?? false,
      archived ?? null,
      directory === undefined ? null : JSON.stringify(directory),
      directories === undefined ? null : beginnings(directories),
      parent === undefined,
      parent === undefined || parent === null ? null : storable(parent),
      search === undefined ? null : searchable(search),
      place?.updatedAt ?? null,
      place?.sessionId ?? null,
      limit,
    ],
  });
  return pageOf(rows.map(summaryOf), limit);
}

/** The text is sought first: few lanes are held, and reading every state would take far longer. */
export async function readFailureHolds(
  database: Database,
  directories: readonly string[] | null,
): Promise<HeldSession[]> {
  const rows = await database.rows<{ state: PackedState }>({
    text: `SELECT state FROM lanes
      WHERE ($1::text[] IS NULL OR directory::text = ANY ($1))
        AND strpos(state::text, '"failure"') > 0
      ORDER BY session_id`,
    values: [directories?.map((directory) => JSON.stringify(directory)) ?? null],
  });
  return heldByFailure(rows.map(({ state }) => unpackState(state)));
}

interface SummaryRow {
  readonly state: PackedState;
  readonly created_at: number;
  readonly updated_at: number;
}

interface LaneRow extends SummaryRow {
  readonly directory: string;
  readonly deleted: boolean;
  readonly archived: boolean;
  readonly parent: string | null;
  readonly search: string;
  readonly ready: string | null;
  readonly due_at: number | null;
  readonly owner: string | null;
}

async function readRow(database: Database, sessionId: string): Promise<LaneRow | null> {
  const [row] = await database.rows<LaneRow>({
    text: "SELECT * FROM lanes WHERE session_id = $1",
    values: [storable(sessionId)],
  });
  return row ?? null;
}

function summaryOf(row: SummaryRow): SessionSummary {
  return {
    state: unpackState(row.state),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
