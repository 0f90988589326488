import { attention } from "../../kernel/attention.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { askChange, ledgerChange } from "../../kernel/ledger.ts";
import type { AskRow, RowChange } from "../../kernel/ledger.ts";
import { packState } from "../../kernel/packed.ts";
import type { LaneBatch } from "../../kernel/transaction.ts";
import { subjectOf } from "../event-subject.ts";
import { labelsOf } from "../session-list.ts";
import type { Body } from "../store.ts";
import type { Queryable, Statement } from "./connection.ts";
import { toJsonb } from "./json.ts";

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

/**
 * Writes all of a lane's changes in one statement. Each part takes its rows from the updated lane, so
 * that nothing is written when the lane has moved on since it was read: then it answers false.
 */
export async function writeLane(connection: Queryable, write: LaneWrite): Promise<boolean> {
  const { rows } = await connection.query<{ written: number }>(laneStatement(write));
  return rows[0]?.written === 1;
}

function laneStatement(write: LaneWrite): Statement {
  const { lane, commitId, bodies } = write;
  const builder = startBuilder();
  builder.add(laneShape(lane), lanePart(builder, write));
  if (lane.events.length > 0) builder.add("e", eventsPart(builder, lane.events, commitId));
  const prompts = foldChanges(lane.events, ledgerChange);
  if (prompts.created.length > 0) builder.add("p", newPromptsPart(builder, prompts.created));
  if (prompts.changed.length > 0) builder.add("q", changedPart(builder, "prompt", prompts.changed));
  const asks = foldChanges(lane.events, askChange);
  if (asks.created.length > 0) builder.add("a", newAsksPart(builder, asks.created));
  if (asks.changed.length > 0) builder.add("b", changedPart(builder, "ask", asks.changed));
  if (lane.receipts.length > 0) builder.add("c", receiptsPart(builder, lane));
  if (bodies.length > 0) builder.add("o", bodiesPart(builder, bodies));
  return builder.finish("SELECT count(*)::int AS written FROM lane");
}

function laneShape(lane: LaneBatch): string {
  return lane.base === 0 ? "n" : "l";
}

function lanePart(builder: Builder, write: LaneWrite): string {
  const { sessionId, lane } = write;
  const { state, base } = lane;
  if (state === null) throw new Error("a lane that is written has a state");
  const { ready, dueAt, owner } = attention(state);
  const { deleted, archived, search, parent } = labelsOf(state);
  const p = builder.value;
  const id = p(sessionId, "text");
  const seq = p(state.seq, "bigint");
  const json = p(JSON.stringify(packState(state)), "json");
  const readiness = p(ready, "text");
  const due = p(dueAt, "bigint");
  const owned = p(owner, "text");
  const updatedAt = p(lane.events.at(-1)?.at ?? null, "bigint");
  const labels = [p(deleted, "boolean"), p(archived, "boolean"), p(search, "text")].join(", ");
  if (base === 0) {
    const directory = p(JSON.stringify(state.directory), "json");
    const createdAt = p(lane.events[0]?.at ?? null, "bigint");
    return `lane AS (
      INSERT INTO lanes (session_id, seq, state, directory, ready, ready_at, due_at, owner,
        created_at, updated_at, deleted, archived, search, parent)
      VALUES (${id}, ${seq}, ${json}, ${directory}, ${readiness},
        CASE WHEN ${readiness} IS NOT NULL THEN holdfast_now() END, ${due}, ${owned},
        ${createdAt}, ${updatedAt}, ${labels}, ${p(parent, "text")})
      ON CONFLICT (session_id) DO NOTHING
      RETURNING session_id)`;
  }
  // A commit that wrote receipts only has no event, and leaves the time of the last one.
  return `lane AS (
    UPDATE lanes SET seq = ${seq}, state = ${json}, due_at = ${due}, owner = ${owned},
      ready = ${readiness},
      ready_at = CASE WHEN ${readiness} IS NULL THEN NULL
        WHEN ready IS NULL THEN holdfast_now() ELSE ready_at END,
      updated_at = coalesce(${updatedAt}, updated_at),
      (deleted, archived, search) = ROW (${labels})
    WHERE session_id = ${id} AND seq = ${p(base, "bigint")}
    RETURNING session_id)`;
}

/** In order of seq, so that the positions that it draws follow it. */
function eventsPart(builder: Builder, events: readonly LaneEvent[], commitId: string): string {
  const p = builder.value;
  const columns = [
    p(
      events.map((event) => event.seq),
      "bigint[]",
    ),
    p(
      events.map((event) => event.type),
      "text[]",
    ),
    p(events.map(subjectOf), "text[]"),
    p(
      events.map((event) => event.at),
      "bigint[]",
    ),
    p(
      events.map((event) => JSON.stringify(event)),
      "json[]",
    ),
  ];
  return `new_events AS (
    INSERT INTO events (session_id, commit_id, seq, type, subject, at, event)
    SELECT lane.session_id, ${p(commitId, "uuid")}, new.*
    FROM lane, unnest(${columns.join(", ")}) AS new (seq, type, subject, at, event)
    ORDER BY new.seq)`;
}

function newPromptsPart(
  builder: Builder,
  created: readonly Changed<{ acceptSeq: number }>[],
): string {
  const p = builder.value;
  const columns = [
    p(
      created.map(({ id }) => id),
      "text[]",
    ),
    p(
      created.map(({ fields }) => fields.acceptSeq),
      "bigint[]",
    ),
    p(
      created.map(({ fields }) => toJsonb(fields)),
      "jsonb[]",
    ),
  ];
  return `new_prompts AS (
    INSERT INTO prompts (session_id, prompt_id, accept_seq, entry)
    SELECT lane.session_id, new.* FROM lane, unnest(${columns.join(", ")}) AS new)`;
}

function newAsksPart(builder: Builder, created: readonly Changed<AskRow>[]): string {
  const p = builder.value;
  const opened = p(
    created.map(({ fields }) => fields.openedAt),
    "bigint[]",
  );
  const open = p(
    created.map(({ fields }) => fields.closed === null),
    "boolean[]",
  );
  const ids = p(
    created.map(({ id }) => id),
    "text[]",
  );
  const entries = p(
    created.map(({ fields }) => toJsonb(fields)),
    "jsonb[]",
  );
  return `new_asks AS (
    INSERT INTO asks (session_id, ask_id, opened_at, open, entry)
    SELECT lane.session_id, new.* FROM lane, unnest(${ids}, ${opened}, ${open}, ${entries}) AS new)`;
}

/** Rows that were there before: the fields that the events set are merged into them. */
function changedPart(
  builder: Builder,
  kind: "prompt" | "ask",
  changed: readonly Changed<object>[],
): string {
  const p = builder.value;
  const ids = p(
    changed.map(({ id }) => id),
    "text[]",
  );
  const patches = p(
    changed.map(({ fields }) => toJsonb(fields)),
    "jsonb[]",
  );
  const open = kind === "ask" ? ", open = (old.entry || change.patch) -> 'closed' = 'null'" : "";
  return `changed_${kind}s AS (
    UPDATE ${kind}s AS old SET entry = old.entry || change.patch${open}
    FROM lane, unnest(${ids}, ${patches}) AS change (id, patch)
    WHERE old.session_id = lane.session_id AND old.${kind}_id = change.id)`;
}

/** A receipt that is there already means that the lane was read before it: see isStaleReceipt. */
function receiptsPart(builder: Builder, lane: LaneBatch): string {
  const p = builder.value;
  const ids = p(
    lane.receipts.map((receipt) => receipt.cancelId),
    "text[]",
  );
  const receipts = p(lane.receipts.map(toJsonb), "jsonb[]");
  return `new_cancels AS (
    INSERT INTO cancels (session_id, cancel_id, receipt)
    SELECT lane.session_id, new.* FROM lane, unnest(${ids}, ${receipts}) AS new)`;
}

/** In order of hash: two commits that store the same bodies must not wait for each other. */
function bodiesPart(builder: Builder, bodies: readonly Body[]): string {
  const p = builder.value;
  const sorted = bodies.toSorted((left, right) => (left.hash < right.hash ? -1 : 1));
  const hashes = p(
    sorted.map((body) => body.hash),
    "text[]",
  );
  const contents = p(
    sorted.map((body) => Buffer.from(body.content)),
    "bytea[]",
  );
  return `new_bodies AS (
    INSERT INTO bodies (hash, content)
    SELECT new.* FROM lane, unnest(${hashes}, ${contents}) AS new (hash, content) ORDER BY new.hash
    ON CONFLICT (hash) DO NOTHING)`;
}

interface Changed<Fields> {
  readonly id: string;
  readonly fields: Fields;
}

/** All changes of one commit to one row are one write: a statement sees no row that it made itself. */
function foldChanges<Row extends object>(
  events: readonly LaneEvent[],
  changeOf: (event: LaneEvent) => RowChange<Row> | null,
): { created: Changed<Row>[]; changed: Changed<Partial<Row>>[] } {
  const created = new Map<string, Row>();
  const changed = new Map<string, Partial<Row>>();
  for (const event of events) {
    const change = changeOf(event);
    if (change === null) continue;
    const { id, row, patch } = change;
    const made = row ?? created.get(id);
    if (made !== undefined) created.set(id, { ...made, ...patch });
    else changed.set(id, { ...changed.get(id), ...patch });
  }
  return { created: listed(created), changed: listed(changed) };
}

function listed<Fields>(rows: ReadonlyMap<string, Fields>): Changed<Fields>[] {
  return Array.from(rows, ([id, fields]) => ({ id, fields }));
}

interface Builder {
  /** Takes a value and gives its place in the text. */
  value(this: void, value: unknown, type: string): string;
  /** `letter` names the part: statements of the same parts have the same text, and so one name. */
  add(letter: string, part: string): void;
  finish(select: string): Statement;
}

function startBuilder(): Builder {
  const values: unknown[] = [];
  const parts: string[] = [];
  let shape = "";
  return {
    value: (value, type) => `$${values.push(value)}::${type}`,
    add: (letter, part) => {
      shape += letter;
      parts.push(part);
    },
    finish: (select) => ({
      name: `write-lane-${shape}`,
      text: `WITH ${parts.join(",\n")}\n${select}`,
      values,
    }),
  };
}
