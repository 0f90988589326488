import { unpackState } from "../../kernel/packed.ts";
import type { PackedState } from "../../kernel/packed.ts";
import type { LaneState } from "../../kernel/state.ts";
import { checkLimit } from "../limits.ts";
import { heldByFailure } from "../session-list.ts";
import type { HeldSession, SessionSummary, StoredLane } from "../session-list.ts";
import type { Page } from "../store.ts";
import type { Database } from "./database.ts";
import type { LaneCache } from "./lane-cache.ts";
import { storable } from "./lane-read.ts";
import { Together } from "./together.ts";

/** Reads states in batches and updates the cache, because another process may have written the lane. */
export function stateReads(database: Database, cache: LaneCache): Together<LaneState> {
  return new Together(async (sessionIds) => {
    const rows = await database.rows<{ session_id: string; state: PackedState }>({
      name: "read-states",
      text: "SELECT session_id, state FROM lanes WHERE session_id = ANY ($1::text[])",
      values: [sessionIds],
    });
    const states = rows.map((row) => [row.session_id, unpackState(row.state)] as const);
    for (const [sessionId, state] of states) if (cache.has(sessionId)) cache.put(state);
    return new Map(states);
  });
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

/**
 * Lists the sessions that are paused after a failure. Searches the stored text for "failure" before parsing it: few
 * sessions are paused, and parsing the state of every session would take much longer.
 */
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

export interface SummaryRow {
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

export function summaryOf(row: SummaryRow): SessionSummary {
  return {
    state: unpackState(row.state),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
