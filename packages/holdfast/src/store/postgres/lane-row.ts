import { attention } from "../../kernel/attention.ts";
import { packState } from "../../kernel/packed.ts";
import { labelsOf } from "../session-list.ts";
import { fill, makePart } from "./lane-statement.ts";
import type { FilledPart } from "./lane-statement.ts";
import type { LaneWrite } from "./lane-write.ts";

/**
 * Builds the part of a statement that writes lane rows. This part returns the lanes that it wrote; the other parts
 * write only rows of these lanes. A lane that changed since it was read is skipped.
 */
export function lanePart(writes: readonly LaneWrite[]): FilledPart {
  const [first] = writes;
  if (first?.lane.base === 0) return fill(newLane, [{ ...rowOf(first), ...beginningOf(first) }]);
  return fill(writes.length === 1 ? changedLane : changedLanes, writes.map(rowOf));
}

const columns = {
  session_id: "text",
  seq: "bigint",
  state: "json",
  ready: "text",
  due_at: "bigint",
  owner: "text",
  updated_at: "bigint",
  deleted: "boolean",
  archived: "boolean",
  search: "text",
} as const;

/** Inserts a new lane. */
const newLane = makePart({
  name: "new_lane",
  columns: { ...columns, directory: "json", created_at: "bigint", parent: "text" },
  sql: ({ of }) => `
    INSERT INTO lanes (session_id, seq, state, ready, ready_at, due_at, owner, updated_at, deleted,
      archived, search, directory, created_at, parent)
    VALUES (${of("session_id")}, ${of("seq")}, ${of("state")}, ${of("ready")},
      CASE WHEN ${of("ready")} IS NOT NULL THEN holdfast_now() END, ${of("due_at")}, ${of("owner")},
      ${of("updated_at")}, ${of("deleted")}, ${of("archived")}, ${of("search")},
      ${of("directory")}, ${of("created_at")}, ${of("parent")})
    ON CONFLICT (session_id) DO NOTHING
    RETURNING session_id`,
});

/**
 * Builds the SET clause for a changed lane. A commit that only stores answers to cancel requests has no event, so it
 * keeps the time of the last event.
 */
const set = (of: (column: keyof typeof columns) => string): string => `
      seq = ${of("seq")}, state = ${of("state")}, due_at = ${of("due_at")}, owner = ${of("owner")},
      ready = ${of("ready")},
      ready_at = CASE WHEN ${of("ready")} IS NULL THEN NULL
        WHEN lanes.ready IS NULL THEN holdfast_now() ELSE lanes.ready_at END,
      updated_at = coalesce(${of("updated_at")}, lanes.updated_at),
      deleted = ${of("deleted")}, archived = ${of("archived")}, search = ${of("search")}`;

const changedLane = makePart({
  name: "changed_lane",
  columns: { ...columns, base: "bigint" },
  sql: ({ of }) => `
    UPDATE lanes SET ${set(of)}
    WHERE lanes.session_id = ${of("session_id")} AND lanes.seq = ${of("base")}
    RETURNING lanes.session_id`,
});

/**
 * Updates several lanes. Skips lanes that another transaction has locked, because waiting for one lane while holding
 * another could deadlock. (A statement for a single lane waits.) The UPDATE repeats the list of ids, so that PostgreSQL
 * uses the index.
 */
const changedLanes = makePart({
  name: "changed_lanes",
  columns: { ...columns, base: "bigint" },
  sql: ({ of, all, from }) => `
    WITH locked AS MATERIALIZED (
      SELECT session_id FROM lanes WHERE session_id = ANY (${all("session_id")})
      FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE lanes SET ${set(of)}
    FROM ${from}
    WHERE lanes.session_id = ANY (${all("session_id")}) AND lanes.session_id = new.session_id
      AND lanes.seq = new.base AND new.session_id IN (SELECT session_id FROM locked)
    RETURNING lanes.session_id`,
});

function rowOf({ sessionId, lane }: LaneWrite) {
  const state = stateOf(lane);
  const { ready, dueAt, owner } = attention(state);
  const { deleted, archived, search } = labelsOf(state);
  return {
    session_id: sessionId,
    base: lane.base,
    seq: state.seq,
    state: JSON.stringify(packState(state)),
    ready,
    due_at: dueAt,
    owner,
    updated_at: lane.events.at(-1)?.at ?? null,
    deleted,
    archived,
    search,
  };
}

/** Returns the columns of a new lane that never change. */
function beginningOf({ lane }: LaneWrite) {
  const { directory, parent } = stateOf(lane);
  return {
    directory: JSON.stringify(directory),
    created_at: lane.events[0]?.at ?? null,
    parent: parent?.sessionId ?? null,
  };
}

function stateOf({ state }: LaneWrite["lane"]) {
  if (state === null)
    throw new Error("a session without a state cannot be stored; please report this bug");
  return state;
}
