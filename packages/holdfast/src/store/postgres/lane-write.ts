import type { LaneEvent } from "../../kernel/event.ts";
import { askChange, ledgerChange } from "../../kernel/ledger.ts";
import type { AskRow, LedgerRow, RowChange } from "../../kernel/ledger.ts";
import type { LaneBatch } from "../../kernel/transaction.ts";
import { subjectOf } from "../../kernel/event-table.ts";
import type { Body } from "../store.ts";
import type { Queryable, Statement } from "./connection.ts";
import { toJsonb } from "./json.ts";
import { lanePart } from "./lane-row.ts";
import { fill, laneStatement, makePart } from "./lane-statement.ts";
import type { Part } from "./lane-statement.ts";

export interface LaneWrite {
  readonly sessionId: string;
  readonly lane: LaneBatch;
  readonly bodies: readonly Body[];
  /** Id that is stored with every event of the commit, so that the commit can be found later. */
  readonly commitId: string;
}

export function hasWrites(lane: LaneBatch): boolean {
  return lane.events.length > 0 || lane.receipts.length > 0;
}

/**
 * Writes all changes of a lane. Returns false, and writes nothing, if the lane changed since it was read.
 */
export async function writeLane(connection: Queryable, write: LaneWrite): Promise<boolean> {
  const { rowCount } = await connection.query(statementOf([write]));
  return rowCount === 1;
}

/**
 * Writes all changes of several lanes in one statement and returns the lanes that were written. Each lane is
 * written completely or, if it changed since it was read, not at all. New lanes are written alone.
 */
export async function writeLanes(
  connection: Queryable,
  writes: readonly LaneWrite[],
): Promise<ReadonlySet<string>> {
  const [first] = writes;
  if (first !== undefined && writes.length === 1) {
    return new Set((await writeLane(connection, first)) ? [first.sessionId] : []);
  }
  const { rows } = await connection.query<{ session_id: string }>(statementOf(writes));
  return new Set(rows.map((row) => row.session_id));
}

function statementOf(writes: readonly LaneWrite[]): Statement {
  const prompts = foldChanges(writes, ledgerChange);
  const asks = foldChanges(writes, askChange);
  const parts = [
    lanePart(writes),
    fill(newEvents, writes.flatMap(eventRows)),
    fill(newPrompts, prompts.created.map(promptRow)),
    fill(changedPrompts, prompts.changed.map(patchRow)),
    fill(newAsks, asks.created.map(askRow)),
    fill(changedAsks, asks.changed.map(patchRow)),
    fill(newCancels, writes.flatMap(receiptRows)),
    fill(newBodies, writes.flatMap(bodyRows)),
    fill(removedTexts, writes.flatMap(removedRows)),
  ];
  return laneStatement(parts, { isAlone: writes.length === 1 });
}

/** Writes new events, sorted by seq, so that positions are assigned in the same order. */
const newEvents = makePart({
  name: "new_events",
  columns: {
    commit_id: "uuid",
    seq: "bigint",
    type: "text",
    subject: "text",
    at: "bigint",
    event: "json",
  },
  sql: ({ of, from, orderBy }) => `
    INSERT INTO events (session_id, commit_id, seq, type, subject, at, event)
    SELECT lane.session_id, ${of("commit_id")}, ${of("seq")}, ${of("type")}, ${of("subject")},
      ${of("at")}, ${of("event")}
    FROM ${from} ${orderBy("lane.session_id, new.seq")}`,
});

function eventRows({ sessionId, lane, commitId }: LaneWrite) {
  return lane.events.map((event) => ({
    session_id: sessionId,
    commit_id: commitId,
    seq: event.seq,
    type: event.type,
    subject: subjectOf(event),
    at: event.at,
    event: JSON.stringify(event),
  }));
}

const newPrompts = makePart({
  name: "new_prompts",
  columns: { id: "text", accept_seq: "bigint", entry: "jsonb" },
  sql: ({ of, from }) => `
    INSERT INTO prompts (session_id, prompt_id, accept_seq, entry)
    SELECT lane.session_id, ${of("id")}, ${of("accept_seq")}, ${of("entry")} FROM ${from}`,
});

function promptRow({ sessionId, id, fields }: Changed<LedgerRow>) {
  return { session_id: sessionId, id, accept_seq: fields.acceptSeq, entry: toJsonb(fields) };
}

const newAsks = makePart({
  name: "new_asks",
  columns: { id: "text", opened_at: "bigint", open: "boolean", entry: "jsonb" },
  sql: ({ of, from }) => `
    INSERT INTO asks (session_id, ask_id, opened_at, open, entry)
    SELECT lane.session_id, ${of("id")}, ${of("opened_at")}, ${of("open")}, ${of("entry")}
    FROM ${from}`,
});

function askRow({ sessionId, id, fields }: Changed<AskRow>) {
  const { openedAt, closed } = fields;
  const open = closed === null;
  return { session_id: sessionId, id, opened_at: openedAt, open, entry: toJsonb(fields) };
}

/** SQL part that updates existing prompt rows: it changes only the fields that new events have changed. */
const changedPrompts = changedPart("prompt");
const changedAsks = changedPart("ask");

function changedPart(kind: "prompt" | "ask"): Part<"id" | "patch"> {
  return makePart({
    name: `changed_${kind}s`,
    columns: { id: "text", patch: "jsonb" },
    sql: ({ whose, of, from }) => {
      const entry = `old.entry || ${of("patch")}`;
      const open = kind === "ask" ? `, open = (${entry}) -> 'closed' = 'null'` : "";
      return `
    UPDATE ${kind}s AS old SET entry = ${entry}${open}
    FROM ${from}
    WHERE old.session_id = ${whose} AND old.${kind}_id = ${of("id")}`;
    },
  });
}

function patchRow({ sessionId, id, fields }: Changed<object>) {
  return { session_id: sessionId, id, patch: toJsonb(fields) };
}

/**
 * Stores the answers to new cancel requests. The insert fails if another process has stored an answer to the same
 * request since the lane was read. The command is then decided again.
 */
const newCancels = makePart({
  name: "new_cancels",
  columns: { id: "text", receipt: "jsonb" },
  sql: ({ of, from }) => `
    INSERT INTO cancels (session_id, cancel_id, receipt)
    SELECT lane.session_id, ${of("id")}, ${of("receipt")} FROM ${from}`,
});

function receiptRows({ sessionId, lane }: LaneWrite) {
  return lane.receipts.map((receipt) => ({
    session_id: sessionId,
    id: receipt.cancelId,
    receipt: toJsonb(receipt),
  }));
}

/** Writes new content, sorted by hash, so that two commits with the same content cannot deadlock. */
const newBodies = makePart({
  name: "new_bodies",
  columns: { hash: "text", content: "bytea" },
  sql: ({ of, from, orderBy }) => `
    INSERT INTO bodies (hash, content)
    SELECT ${of("hash")}, ${of("content")} FROM ${from} ${orderBy("new.hash")}
    ON CONFLICT (hash) DO NOTHING`,
});

function bodyRows({ sessionId, bodies }: LaneWrite) {
  return bodies.map(({ hash, content }) => ({
    session_id: sessionId,
    hash,
    content: Buffer.from(content),
  }));
}

/** Removes the texts of a deleted session from the search index. */
const removedTexts = makePart({
  name: "removed_texts",
  columns: { seq: "bigint" },
  sql: ({ whose, of, from }) => `
    DELETE FROM texts AS old USING ${from}
    WHERE old.session_id = ${whose} AND old.seq < ${of("seq")}`,
});

function removedRows({ sessionId, lane }: LaneWrite) {
  return lane.events.flatMap(({ type, seq }) =>
    type === "session.deleted" ? [{ session_id: sessionId, seq }] : [],
  );
}

interface Changed<Fields> {
  readonly sessionId: string;
  readonly id: string;
  readonly fields: Fields;
}

/**
 * Merges all changes of a row in one commit into a single write. Two writes do not work: all parts of the SQL statement
 * see the table as it was before, so the second write would not find the row or the changes of the first.
 */
function foldChanges<Row extends object>(
  writes: readonly LaneWrite[],
  changeOf: (event: LaneEvent) => RowChange<Row> | null,
): { created: Changed<Row>[]; changed: Changed<Partial<Row>>[] } {
  const created: Changed<Row>[] = [];
  const changed: Changed<Partial<Row>>[] = [];
  for (const { sessionId, lane } of writes) {
    const made = new Map<string, Row>();
    const patched = new Map<string, Partial<Row>>();
    for (const event of lane.events) {
      const change = changeOf(event);
      if (change === null) continue;
      const { id, row, patch } = change;
      const base = row ?? made.get(id);
      if (base !== undefined) made.set(id, { ...base, ...patch });
      else patched.set(id, { ...patched.get(id), ...patch });
    }
    for (const [id, fields] of made) created.push({ sessionId, id, fields });
    for (const [id, fields] of patched) changed.push({ sessionId, id, fields });
  }
  return { created, changed };
}
