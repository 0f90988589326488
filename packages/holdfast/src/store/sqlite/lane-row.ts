import type { DatabaseSync } from "node:sqlite";
import { attention } from "../../kernel/attention.ts";
import type { Attention } from "../../kernel/attention.ts";
import { packState } from "../../kernel/packed.ts";
import type { LaneState } from "../../kernel/state.ts";
import { labelsOf } from "../session-list.ts";
import type { KnownLane } from "./lane-cache.ts";

/** Writes of the lanes' rows. */
export interface LaneRows {
  insert(state: LaneState, times: { createdAt: number; updatedAt: number }): KnownLane;
  update(known: KnownLane, state: LaneState, updatedAt: number): KnownLane;
}

export function prepareLaneRows(database: DatabaseSync): LaneRows {
  const insert = database.prepare(
    `INSERT INTO lanes (seq, updated_at, state, deleted, archived, search, ready, ready_at, due_at,
       owner, session_id, created_at, parent, directory)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, iif(?7 IS NULL, NULL, ?2), ?8, ?9, ?10, ?11, ?12, ?13)`,
  );
  const update = database.prepare(
    "UPDATE lanes SET seq = ?1, updated_at = ?2, state = ?3 WHERE lane = ?4",
  );
  // A lane that stays ready keeps its place among those that wait.
  const updateAll = database.prepare(
    `UPDATE lanes
     SET seq = ?1, updated_at = ?2, state = ?3, deleted = ?4, archived = ?5, search = ?6, ready = ?7,
         ready_at = iif(?7 IS NULL, NULL, coalesce(ready_at, ?2)), due_at = ?8, owner = ?9
     WHERE lane = ?10`,
  );
  return {
    insert(state, { createdAt, updatedAt }) {
      const { sessionId, parent, directory } = state;
      const wanted = attention(state);
      const { lastInsertRowid } = insert.run(
        ...contentOf(state, updatedAt),
        ...marksOf(state, wanted),
        sessionId,
        createdAt,
        parent?.sessionId ?? null,
        JSON.stringify(directory),
      );
      return { lane: Number(lastInsertRowid), state, attention: wanted };
    },
    update({ lane, state: former, attention: stored }, state, updatedAt) {
      const wanted = attention(state);
      const content = contentOf(state, updatedAt);
      // What is not set costs no index anything.
      if (isSame(stored, wanted) && isLabelledAlike(former, state)) update.run(...content, lane);
      else updateAll.run(...content, ...marksOf(state, wanted), lane);
      return { lane, state, attention: wanted };
    },
  };
}

function contentOf(state: LaneState, updatedAt: number): [number, number, string] {
  return [state.seq, updatedAt, JSON.stringify(packState(state))];
}

function marksOf(state: LaneState, { ready, dueAt, owner }: Attention): (string | number | null)[] {
  const { deleted, archived, search } = labelsOf(state);
  return [deleted ? 1 : 0, archived ? 1 : 0, search, ready, dueAt, owner];
}

function isSame(left: Attention, right: Attention): boolean {
  return left.ready === right.ready && left.dueAt === right.dueAt && left.owner === right.owner;
}

/** The rest of what the labels come from never changes. */
function isLabelledAlike(left: LaneState, right: LaneState): boolean {
  const { title, archived, status } = left;
  return title === right.title && archived === right.archived && status === right.status;
}
