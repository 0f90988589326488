import type { DatabaseSync } from "node:sqlite";
import { attention } from "../../kernel/attention.ts";
import type { LaneEvent, Receipt } from "../../kernel/event.ts";
import { askChange, ledgerChange } from "../../kernel/ledger.ts";
import type { AskRow, LedgerRow, RowChange } from "../../kernel/ledger.ts";
import { packState } from "../../kernel/packed.ts";
import type { LaneState } from "../../kernel/state.ts";
import type { LaneBatch } from "../../kernel/transaction.ts";
import { subjectOf } from "../event-subject.ts";
import { labelsOf } from "../session-list.ts";
import type { Body } from "../store.ts";
import type { Reads } from "./reads.ts";

/** Every write of a transaction, each on a statement that is prepared once. */
export interface Writes {
  /** What a batch has decided for one lane: its events, and the rows that follow from them. */
  lane(lane: LaneBatch, at: number): void;
  body(body: Body): void;
}

export function prepareWrites(database: DatabaseSync, reads: Reads): Writes {
  const appendEvent = prepareAppend(database);
  const saveLane = prepareLane(database);
  const prompts = preparePrompts(database, reads);
  const asks = prepareAsks(database, reads);
  const insertReceipt = database.prepare(
    "INSERT INTO cancels (session_id, cancel_id, receipt) VALUES (?, ?, ?)",
  );
  const insertBody = database.prepare(
    "INSERT INTO bodies (hash, content) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
  );
  const saveReceipt = (sessionId: string, receipt: Receipt): void => {
    insertReceipt.run(sessionId, receipt.cancelId, JSON.stringify(receipt));
  };
  return {
    lane(lane, at) {
      const { state, base, events, receipts } = lane;
      if (state === null) return;
      for (const receipt of receipts) saveReceipt(state.sessionId, receipt);
      if (events.length === 0) return;
      for (const event of events) appendEvent(event);
      saveRows(events, prompts);
      saveRows(events, asks);
      saveLane({ state, base, events, at });
    },
    body: ({ hash, content }) => void insertBody.run(hash, content),
  };
}

function prepareAppend(database: DatabaseSync): (event: LaneEvent) => void {
  const insert = database.prepare(
    "INSERT INTO events (session_id, seq, type, subject, at, data) VALUES (?, ?, ?, ?, ?, ?)",
  );
  return (event) => {
    const { sessionId, seq, type, at, ...data } = event;
    insert.run(sessionId, seq, type, subjectOf(event), at, JSON.stringify(data));
  };
}

function prepareLane(
  database: DatabaseSync,
): (lane: Pick<LaneBatch, "base" | "events"> & { state: LaneState; at: number }) => void {
  const insert = database.prepare(
    `INSERT INTO lanes (seq, updated_at, deleted, archived, ready, ready_at, due_at, owner, search,
       state, session_id, created_at, parent, directory)
     VALUES (?1, ?2, ?3, ?4, ?5, iif(?5 IS NULL, NULL, ?6), ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)`,
  );
  // A lane that stays ready keeps its place among those that wait.
  const update = database.prepare(
    `UPDATE lanes
     SET seq = ?1, updated_at = ?2, deleted = ?3, archived = ?4, ready = ?5,
         ready_at = iif(?5 IS NULL, NULL, coalesce(ready_at, ?6)), due_at = ?7, owner = ?8,
         search = ?9, state = ?10
     WHERE session_id = ?11`,
  );
  return ({ state, base, events, at }) => {
    const { seq, sessionId, directory } = state;
    const { ready, dueAt, owner } = attention(state);
    const { deleted, archived, search, parent } = labelsOf(state);
    const values = [
      seq,
      events.at(-1)?.at ?? at,
      deleted ? 1 : 0,
      archived ? 1 : 0,
      ready,
      at,
      dueAt,
      owner,
      search,
      JSON.stringify(packState(state)),
      sessionId,
    ];
    if (base === 0) insert.run(...values, events[0]?.at ?? at, parent, JSON.stringify(directory));
    else update.run(...values);
  };
}

/** How the rows of one kind are changed by events, read, and written. */
interface RowTable<Row> {
  changeOf(event: LaneEvent): RowChange<Row> | null;
  read(sessionId: string, id: string): Row | null;
  insert(row: Row): void;
  update(row: Row): void;
}

function preparePrompts(database: DatabaseSync, reads: Reads): RowTable<LedgerRow> {
  const position = "(SELECT position FROM events WHERE session_id = ?2 AND seq = ?3)";
  const insert = database.prepare(`INSERT INTO prompts (row, position) VALUES (?1, ${position})`);
  const update = database.prepare(`UPDATE prompts SET row = ?1 WHERE position = ${position}`);
  return {
    changeOf: ledgerChange,
    read: (sessionId, promptId) => reads.prompt(sessionId, promptId),
    insert: (row) => void insert.run(JSON.stringify(row), row.sessionId, row.acceptSeq),
    update: (row) => void update.run(JSON.stringify(row), row.sessionId, row.acceptSeq),
  };
}

function prepareAsks(database: DatabaseSync, reads: Reads): RowTable<AskRow> {
  const insert = database.prepare(
    "INSERT INTO asks (row, open, session_id, ask_id, opened_at) VALUES (?, ?, ?, ?, ?)",
  );
  const update = database.prepare(
    "UPDATE asks SET row = ?, open = ? WHERE session_id = ? AND ask_id = ?",
  );
  return {
    changeOf: askChange,
    read: (sessionId, askId) => reads.ask(sessionId, askId),
    insert: (row) => void insert.run(...askValues(row), row.openedAt),
    update: (row) => void update.run(...askValues(row)),
  };
}

function askValues(row: AskRow): (string | number)[] {
  return [JSON.stringify(row), row.closed === null ? 1 : 0, row.sessionId, row.askId];
}

/** Folds the events over the rows that they change, and writes each of those once. */
function saveRows<Row>(events: readonly LaneEvent[], table: RowTable<Row>): void {
  const rows = new Map<string, { row: Row; isNew: boolean }>();
  for (const event of events) {
    const change = table.changeOf(event);
    if (change === null) continue;
    const { id } = change;
    const known = rows.get(id);
    if (known === undefined && change.row !== null) {
      rows.set(id, { row: change.row, isNew: true });
      continue;
    }
    const row = known?.row ?? table.read(event.sessionId, id);
    if (row === null) throw new Error(`${event.type} changes ${id}, which is not on record`);
    rows.set(id, { row: { ...row, ...change.patch }, isNew: known?.isNew ?? false });
  }
  for (const { row, isNew } of rows.values()) {
    if (isNew) table.insert(row);
    else table.update(row);
  }
}
