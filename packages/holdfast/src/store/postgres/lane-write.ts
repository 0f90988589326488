import type { LaneEvent, Receipt } from "../../kernel/event.ts";
import { askChange, ledgerChange } from "../../kernel/ledger.ts";
import type { AskRow, LedgerRow, RowChange } from "../../kernel/ledger.ts";
import type { LaneBatch } from "../../kernel/transaction.ts";
import { subjectOf } from "../event-subject.ts";
import type { Body } from "../store.ts";
import type { Queryable, Statement } from "./connection.ts";
import { toJsonb } from "./json.ts";
import { insertLane, updateLanes } from "./lane-row.ts";
import { column, startStatement } from "./statement-builder.ts";
import type { Column, StatementBuilder } from "./statement-builder.ts";

export interface LaneWrite {
  readonly sessionId: string;
  readonly lane: LaneBatch;
  readonly bodies: readonly Body[];
  /** Stands on every event of the commit, so that its fate can be looked up. */
  readonly commitId: string;
}

export function hasWrites(lane: LaneBatch): boolean {
  return lane.events.length > 0 || lane.receipts.length > 0;
}

/** Writes all of a lane's changes, or nothing when it has moved on since it was read: then false. */
export async function writeLane(connection: Queryable, write: LaneWrite): Promise<boolean> {
  return (await writeLanes(connection, [write])).has(write.sessionId);
}

/**
 * Writes all changes of some lanes in one statement, and names those that were written: each by itself
 * is written whole or, when it has moved on, not at all. Lanes that are new are written alone.
 */
export async function writeLanes(
  connection: Queryable,
  writes: readonly LaneWrite[],
): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query<{ session_id: string }>(laneStatement(writes));
  return new Set(rows.map((row) => row.session_id));
}

/** Each part takes its rows from the lanes that were written. */
function laneStatement(writes: readonly LaneWrite[]): Statement {
  const builder = startStatement("write-lane");
  const [first] = writes;
  if (first?.lane.base === 0) builder.add(insertLane(builder, first));
  else builder.add(updateLanes(builder, writes));
  const events = writes.flatMap(({ lane, commitId }) =>
    lane.events.map((event) => ({ event, commitId })),
  );
  if (events.length > 0) builder.add(eventsPart(builder, events));
  const prompts = foldChanges(writes, ledgerChange);
  if (prompts.created.length > 0) builder.add(newPromptsPart(builder, prompts.created));
  if (prompts.changed.length > 0) builder.add(changedPart(builder, "prompt", prompts.changed));
  const asks = foldChanges(writes, askChange);
  if (asks.created.length > 0) builder.add(newAsksPart(builder, asks.created));
  if (asks.changed.length > 0) builder.add(changedPart(builder, "ask", asks.changed));
  const receipts = writes.flatMap(({ sessionId, lane }) =>
    lane.receipts.map((receipt) => ({ sessionId, receipt })),
  );
  if (receipts.length > 0) builder.add(receiptsPart(builder, receipts));
  const bodies = writes.flatMap((write) =>
    write.bodies.map((body) => ({ sessionId: write.sessionId, body })),
  );
  if (bodies.length > 0) builder.add(bodiesPart(builder, bodies));
  return builder.finish("SELECT session_id FROM lane");
}

/** In order of seq, so that the positions that it draws follow it. */
function eventsPart(
  builder: StatementBuilder,
  events: readonly { event: LaneEvent; commitId: string }[],
): string {
  const rows = builder.table({
    session_id: column(
      "text",
      events.map(({ event }) => event.sessionId),
    ),
    commit_id: column(
      "uuid",
      events.map(({ commitId }) => commitId),
    ),
    seq: column(
      "bigint",
      events.map(({ event }) => event.seq),
    ),
    type: column(
      "text",
      events.map(({ event }) => event.type),
    ),
    subject: column(
      "text",
      events.map(({ event }) => subjectOf(event)),
    ),
    at: column(
      "bigint",
      events.map(({ event }) => event.at),
    ),
    event: column(
      "json",
      events.map(({ event }) => JSON.stringify(event)),
    ),
  });
  return `new_events AS (
    INSERT INTO events (session_id, commit_id, seq, type, subject, at, event)
    SELECT new.* FROM lane JOIN ${rows} USING (session_id) ORDER BY new.session_id, new.seq)`;
}

function newPromptsPart(builder: StatementBuilder, created: readonly Changed<LedgerRow>[]): string {
  const rows = builder.table({
    ...keysOf(created),
    accept_seq: column(
      "bigint",
      created.map(({ fields }) => fields.acceptSeq),
    ),
    entry: column(
      "jsonb",
      created.map(({ fields }) => toJsonb(fields)),
    ),
  });
  return `new_prompts AS (
    INSERT INTO prompts (session_id, prompt_id, accept_seq, entry)
    SELECT new.* FROM lane JOIN ${rows} USING (session_id))`;
}

function newAsksPart(builder: StatementBuilder, created: readonly Changed<AskRow>[]): string {
  const rows = builder.table({
    ...keysOf(created),
    opened_at: column(
      "bigint",
      created.map(({ fields }) => fields.openedAt),
    ),
    open: column(
      "boolean",
      created.map(({ fields }) => fields.closed === null),
    ),
    entry: column(
      "jsonb",
      created.map(({ fields }) => toJsonb(fields)),
    ),
  });
  return `new_asks AS (
    INSERT INTO asks (session_id, ask_id, opened_at, open, entry)
    SELECT new.* FROM lane JOIN ${rows} USING (session_id))`;
}

/** Rows that were there before: the fields that the events set are merged into them. */
function changedPart(
  builder: StatementBuilder,
  kind: "prompt" | "ask",
  changed: readonly Changed<object>[],
): string {
  const rows = builder.table({
    ...keysOf(changed),
    patch: column(
      "jsonb",
      changed.map(({ fields }) => toJsonb(fields)),
    ),
  });
  const open = kind === "ask" ? ", open = (old.entry || new.patch) -> 'closed' = 'null'" : "";
  return `changed_${kind}s AS (
    UPDATE ${kind}s AS old SET entry = old.entry || new.patch${open}
    FROM lane JOIN ${rows} USING (session_id)
    WHERE old.session_id = new.session_id AND old.${kind}_id = new.id)`;
}

/** A receipt that is there already means that the lane was read before it: it is decided again. */
function receiptsPart(
  builder: StatementBuilder,
  receipts: readonly { sessionId: string; receipt: Receipt }[],
): string {
  const rows = builder.table({
    session_id: column(
      "text",
      receipts.map(({ sessionId }) => sessionId),
    ),
    cancel_id: column(
      "text",
      receipts.map(({ receipt }) => receipt.cancelId),
    ),
    receipt: column(
      "jsonb",
      receipts.map(({ receipt }) => toJsonb(receipt)),
    ),
  });
  return `new_cancels AS (
    INSERT INTO cancels (session_id, cancel_id, receipt)
    SELECT new.* FROM lane JOIN ${rows} USING (session_id))`;
}

/** In order of hash: two commits that store the same bodies must not wait for each other. */
function bodiesPart(
  builder: StatementBuilder,
  bodies: readonly { sessionId: string; body: Body }[],
): string {
  const rows = builder.table({
    session_id: column(
      "text",
      bodies.map(({ sessionId }) => sessionId),
    ),
    hash: column(
      "text",
      bodies.map(({ body }) => body.hash),
    ),
    content: column(
      "bytea",
      bodies.map(({ body }) => Buffer.from(body.content)),
    ),
  });
  return `new_bodies AS (
    INSERT INTO bodies (hash, content)
    SELECT new.hash, new.content FROM lane JOIN ${rows} USING (session_id) ORDER BY new.hash
    ON CONFLICT (hash) DO NOTHING)`;
}

interface Changed<Fields> {
  readonly sessionId: string;
  readonly id: string;
  readonly fields: Fields;
}

function keysOf(changed: readonly Changed<object>[]): { session_id: Column; id: Column } {
  return {
    session_id: column(
      "text",
      changed.map(({ sessionId }) => sessionId),
    ),
    id: column(
      "text",
      changed.map(({ id }) => id),
    ),
  };
}

/** All changes of one commit to one row are one write: a statement sees no row that it made itself. */
function foldChanges<Row extends object>(
  writes: readonly LaneWrite[],
  changeOf: (event: LaneEvent) => RowChange<Row> | null,
): { created: Changed<Row>[]; changed: Changed<Partial<Row>>[] } {
  const folded = writes.map(({ sessionId, lane }) => {
    const created = new Map<string, Row>();
    const changed = new Map<string, Partial<Row>>();
    for (const event of lane.events) {
      const change = changeOf(event);
      if (change === null) continue;
      const { id, row, patch } = change;
      const made = row ?? created.get(id);
      if (made !== undefined) created.set(id, { ...made, ...patch });
      else changed.set(id, { ...changed.get(id), ...patch });
    }
    return { created: listed(sessionId, created), changed: listed(sessionId, changed) };
  });
  return {
    created: folded.flatMap(({ created }) => created),
    changed: folded.flatMap(({ changed }) => changed),
  };
}

function listed<Fields>(sessionId: string, rows: ReadonlyMap<string, Fields>): Changed<Fields>[] {
  return Array.from(rows, ([id, fields]) => ({ sessionId, id, fields }));
}
