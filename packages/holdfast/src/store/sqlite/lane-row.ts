import type { DatabaseSync } from "node:sqlite";
import { attention } from "../../kernel/attention.ts";
import type { Attention } from "../../kernel/attention.ts";
import { packState } from "../../kernel/packed.ts";
import type { LaneState } from "../../kernel/state.ts";
import { labelsOf } from "../session-list.ts";
import { StoreError } from "../store-error.ts";
import type { KnownLane } from "./lane-cache.ts";

/**
 * Writes lane rows. A row lists the positions of the lane's latest events. If there are too many, moves them to the
 * table `log`.
 */
export interface LaneRows {
  insert(write: LaneWrite): KnownLane;
  update(known: KnownLane, write: LaneWrite): KnownLane;
}

export interface LaneWrite {
  readonly state: LaneState;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Positions in the log of the events that this commit adds. */
  readonly positions: readonly number[];
}

/**
 * Maximum number of recent event positions in a row of `lanes`. Each commit rewrites this list. When it is full, its
 * positions move to the table `log`.
 */
const maxRecent = 32;

export function prepareLaneRows(database: DatabaseSync): LaneRows {
  const insert = database.prepare(
    `INSERT INTO lanes (seq, updated_at, recent, state, deleted, archived, search, ready, ready_at,
       due_at, owner, session_id, created_at, parent, directory)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, iif(?8 IS NULL, NULL, ?2), ?9, ?10, ?11, ?12, ?13, ?14)`,
  );
  const update = database.prepare(
    `UPDATE lanes SET seq = ?1, updated_at = ?2, recent = ?3, state = ?4
     WHERE lane = ?5 AND seq = ?6`,
  );
  // A lane that stays ready keeps its `ready_at`, and with it its position among the waiting lanes.
  const updateAll = database.prepare(
    `UPDATE lanes
     SET seq = ?1, updated_at = ?2, recent = ?3, state = ?4, deleted = ?5, archived = ?6, search = ?7,
         ready = ?8, ready_at = iif(?8 IS NULL, NULL, coalesce(ready_at, ?2)), due_at = ?9, owner = ?10
     WHERE lane = ?11 AND seq = ?12`,
  );
  const updateWaiting = database.prepare(
    `UPDATE lanes
     SET seq = ?1, updated_at = ?2, recent = ?3, state = ?4,
         ready = ?5, ready_at = iif(?5 IS NULL, NULL, coalesce(ready_at, ?2)), due_at = ?6, owner = ?7
     WHERE lane = ?8 AND seq = ?9`,
  );
  const index = database.prepare("INSERT INTO log (lane, seq, position) VALUES (?, ?, ?)");
  const moveToIndex = (known: KnownLane, positions: readonly number[], end: number): void => {
    const all = [...known.recent, ...positions];
    for (const [place, position] of all.entries()) {
      index.run(known.lane, end - all.length + 1 + place, position);
    }
  };
  return {
    insert(write) {
      const { state, createdAt, positions } = write;
      const { sessionId, parent, directory } = state;
      const wanted = attention(state);
      const { lastInsertRowid } = insert.run(
        ...contentOf(write, positions),
        ...marksOf(state, wanted),
        sessionId,
        createdAt,
        parent?.sessionId ?? null,
        JSON.stringify(directory),
      );
      return { lane: Number(lastInsertRowid), state, attention: wanted, recent: positions };
    },
    update(known, write) {
      const { state, positions } = write;
      const { lane } = known;
      const wanted = attention(state);
      const isFull = known.recent.length + positions.length > maxRecent;
      if (isFull) moveToIndex(known, positions, state.seq);
      const recent = isFull ? [] : [...known.recent, ...positions];
      const content = contentOf(write, recent);
      const key = [lane, known.state.seq];
      // Write only the columns that changed, because SQLite then updates only the indexes of these columns.
      const { changes } = !isLabelledAlike(known.state, state)
        ? updateAll.run(...content, ...marksOf(state, wanted), ...key)
        : isWaitingAlike(known.attention, wanted)
          ? update.run(...content, ...key)
          : updateWaiting.run(...content, wanted.ready, wanted.dueAt, wanted.owner, ...key);
      if (changes !== 1) throw movedOn(state.sessionId);
      return { lane, state, attention: wanted, recent };
    },
  };
}

function contentOf(
  { state, updatedAt }: LaneWrite,
  recent: readonly number[],
): [seq: number, updatedAt: number, recent: string, state: string] {
  return [state.seq, updatedAt, JSON.stringify(recent), JSON.stringify(packState(state))];
}

function marksOf(state: LaneState, { ready, dueAt, owner }: Attention): (string | number | null)[] {
  const { deleted, archived, search } = labelsOf(state);
  return [deleted ? 1 : 0, archived ? 1 : 0, search, ready, dueAt, owner];
}

/**
 * True if both states have the same labels. Labels also contain the session's directory, id and parent, which never
 * change.
 */
function isLabelledAlike(left: LaneState, right: LaneState): boolean {
  return (
    left.title === right.title && left.archived === right.archived && left.status === right.status
  );
}

function isWaitingAlike(left: Attention, right: Attention): boolean {
  return left.ready === right.ready && left.dueAt === right.dueAt && left.owner === right.owner;
}

/** Builds the error for a lane whose seq is not the expected one: each commit must continue from the previous one. */
function movedOn(sessionId: string): StoreError {
  return new StoreError(
    "storeViolation",
    `session ${sessionId} was changed by another process without a lock. Nothing was stored; please report it`,
  );
}
