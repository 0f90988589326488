import { attention } from "../../kernel/attention.ts";
import { packState } from "../../kernel/packed.ts";
import { labelsOf } from "../session-list.ts";
import type { LaneWrite } from "./lane-write.ts";
import { column } from "./statement-builder.ts";
import type { Column, StatementBuilder } from "./statement-builder.ts";

// The part of a statement that writes lanes' rows. What it returns as `lane` is what the other parts
// go by: a lane that has moved on since it was read is not in it, and nothing of it is written.

/** A lane that is not there yet. */
export function insertLane(builder: StatementBuilder, write: LaneWrite): string {
  const { sessionId, lane } = write;
  const { state } = rowOf(write);
  const p = builder.value;
  return `lane AS (
    INSERT INTO lanes (session_id, seq, state, ready, ready_at, due_at, owner, updated_at, deleted,
      archived, search, directory, created_at, parent)
    SELECT new.session_id, new.seq, new.state, new.ready,
      CASE WHEN new.ready IS NOT NULL THEN holdfast_now() END, new.due_at, new.owner, new.updated_at,
      new.deleted, new.archived, new.search, ${p(JSON.stringify(state.directory), "json")},
      ${p(lane.events[0]?.at ?? null, "bigint")}, ${p(state.parent?.sessionId ?? null, "text")}
    FROM ${builder.table(columnsOf([{ ...write, sessionId }]))}
    ON CONFLICT (session_id) DO NOTHING
    RETURNING session_id)`;
}

/** A commit that wrote receipts only has no event, and leaves the time of the last one. */
export function updateLanes(builder: StatementBuilder, writes: readonly LaneWrite[]): string {
  const ids = builder.value(
    writes.map(({ sessionId }) => sessionId),
    "text[]",
  );
  // Lanes that somebody else has locked are left out: who waits for one while he holds another may wait
  // for ever. A lane alone waits. That all of them are named once more makes the index be used.
  const isAlone = writes.length === 1;
  const locked = `locked AS MATERIALIZED (
    SELECT session_id FROM lanes WHERE session_id = ANY (${ids})
    FOR NO KEY UPDATE SKIP LOCKED),`;
  return `${isAlone ? "" : locked} lane AS (
    UPDATE lanes SET seq = new.seq, state = new.state, due_at = new.due_at, owner = new.owner,
      ready = new.ready,
      ready_at = CASE WHEN new.ready IS NULL THEN NULL
        WHEN lanes.ready IS NULL THEN holdfast_now() ELSE lanes.ready_at END,
      updated_at = coalesce(new.updated_at, lanes.updated_at),
      deleted = new.deleted, archived = new.archived, search = new.search
    FROM ${builder.table(columnsOf(writes))}
    WHERE lanes.session_id = ANY (${ids}) AND lanes.session_id = new.session_id
      AND lanes.seq = new.base
      ${isAlone ? "" : "AND new.session_id IN (SELECT session_id FROM locked)"}
    RETURNING lanes.session_id)`;
}

function columnsOf(writes: readonly LaneWrite[]): Record<string, Column> {
  const rows = writes.map(rowOf);
  return {
    session_id: column(
      "text",
      writes.map(({ sessionId }) => sessionId),
    ),
    base: column(
      "bigint",
      writes.map(({ lane }) => lane.base),
    ),
    seq: column(
      "bigint",
      rows.map(({ state }) => state.seq),
    ),
    state: column(
      "json",
      rows.map(({ state }) => JSON.stringify(packState(state))),
    ),
    ready: column(
      "text",
      rows.map(({ wants }) => wants.ready),
    ),
    due_at: column(
      "bigint",
      rows.map(({ wants }) => wants.dueAt),
    ),
    owner: column(
      "text",
      rows.map(({ wants }) => wants.owner),
    ),
    updated_at: column(
      "bigint",
      writes.map(({ lane }) => lane.events.at(-1)?.at ?? null),
    ),
    deleted: column(
      "boolean",
      rows.map(({ labels }) => labels.deleted),
    ),
    archived: column(
      "boolean",
      rows.map(({ labels }) => labels.archived),
    ),
    search: column(
      "text",
      rows.map(({ labels }) => labels.search),
    ),
  };
}

function rowOf({ lane: { state } }: LaneWrite) {
  if (state === null) throw new Error("a lane that is written has a state");
  return { state, wants: attention(state), labels: labelsOf(state) };
}
