import type { DatabaseSync } from "node:sqlite";
import type { LaneEvent } from "../../kernel/event.ts";
import { askChange, changedRow, ledgerChange } from "../../kernel/ledger.ts";
import type { AskRow, LedgerRow, RowChange } from "../../kernel/ledger.ts";
import type { LaneBatch } from "../../kernel/transaction.ts";
import { subjectOf } from "../event-subject.ts";
import type { Body } from "../store.ts";
import { prepareBodyWrite } from "./bodies.ts";
import type { KnownLane } from "./lane-cache.ts";
import { prepareLaneRows } from "./lane-row.ts";
import { onceNumbers } from "./once.ts";
import type { Reads } from "./reads.ts";

/** Every write of a transaction, each on a statement that is prepared once. */
export interface Writes {
  /**
   * What a batch has decided for one lane: its events, and the rows that follow from them. Answers the
   * lane as it will be known once that is committed; null when it stays as it was.
   */
  lane(batch: LaneBatch, known: KnownLane | null): KnownLane | null;
  body(body: Body): void;
}

export function prepareWrites(database: DatabaseSync, reads: Reads): Writes {
  const appendEvent = prepareAppend(database);
  const laneRows = prepareLaneRows(database);
  const prompts = preparePrompts(database, reads);
  const asks = prepareAsks(database, reads);
  const insertReceipt = database.prepare(
    "INSERT INTO cancels (session_id, cancel_id, receipt) VALUES (?, ?, ?)",
  );
  return {
    lane(batch, known) {
      const { state, events, receipts } = batch;
      if (state === null) return null;
      for (const receipt of receipts) {
        insertReceipt.run(state.sessionId, receipt.cancelId, JSON.stringify(receipt));
      }
      const [first] = events;
      const last = events.at(-1);
      if (first === undefined || last === undefined) return null;
      const times = { createdAt: first.at, updatedAt: last.at };
      const next =
        known === null
          ? laneRows.insert(state, times)
          : laneRows.update(known, state, times.updatedAt);
      let position = 0;
      for (const event of events) position = appendEvent(next.lane, event);
      // One after the other by one writer: positions follow each other as seqs do.
      const log = { lane: next.lane, offset: position - last.seq };
      saveRows({ events, rows: batch.prompts, table: prompts, log });
      saveRows({ events, rows: batch.asks, table: asks, log });
      return next;
    },
    body: prepareBodyWrite(database),
  };
}

/** Appends the event, and says at which position. */
function prepareAppend(database: DatabaseSync): (lane: number, event: LaneEvent) => number {
  const insert = database.prepare(
    "INSERT INTO events (lane, seq, at, type, subject, once, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  return (lane, event) => {
    const { seq, at, type } = event;
    const once = onceNumbers[type] ?? null;
    const data = JSON.stringify(event);
    return Number(insert.run(lane, seq, at, type, subjectOf(event), once, data).lastInsertRowid);
  };
}

/** Where the events of a write are: the position of each is its seq and an offset. */
interface LogPlace {
  readonly lane: number;
  readonly offset: number;
}

/** How the rows of one kind are changed by events, read, and written. */
interface RowTable<Row> {
  changeOf(event: LaneEvent): RowChange<Row> | null;
  read(lane: number, sessionId: string, id: string): Row | null;
  insert(row: Row, log: LogPlace): void;
  update(row: Row, log: LogPlace): void;
}

function preparePrompts(database: DatabaseSync, reads: Reads): RowTable<LedgerRow> {
  const insert = database.prepare("INSERT INTO prompts (row, position) VALUES (?, ?)");
  const update = database.prepare(
    `UPDATE prompts SET row = ?
     WHERE position = (SELECT position FROM events WHERE lane = ? AND seq = ?)`,
  );
  return {
    changeOf: ledgerChange,
    read: (lane, _, promptId) => reads.prompt(lane, promptId),
    insert: (row, { offset }) => void insert.run(JSON.stringify(row), row.acceptSeq + offset),
    update: (row, { lane }) => void update.run(JSON.stringify(row), lane, row.acceptSeq),
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
    read: (_, sessionId, askId) => reads.ask(sessionId, askId),
    insert: (row) => void insert.run(...askValues(row), row.openedAt),
    update: (row) => void update.run(...askValues(row)),
  };
}

function askValues(row: AskRow): (string | number)[] {
  return [JSON.stringify(row), row.closed === null ? 1 : 0, row.sessionId, row.askId];
}

/** Writes each row that the events change, once: as the batch knows it, else folded from what is stored. */
function saveRows<Row>(save: {
  events: readonly LaneEvent[];
  rows: ReadonlyMap<string, Row | null>;
  table: RowTable<Row>;
  log: LogPlace;
}): void {
  const { events, rows, table, log } = save;
  const changed = new Map<string, { row: Row; isNew: boolean }>();
  for (const event of events) {
    const change = table.changeOf(event);
    if (change === null) continue;
    const { id } = change;
    const former = changed.get(id);
    const isNew = former?.isNew ?? change.row !== null;
    const row =
      rows.get(id) ??
      changedRow(former?.row ?? (isNew ? null : table.read(log.lane, event.sessionId, id)), change);
    if (row === null) throw new Error(`${event.type} changes ${id}, which is not on record`);
    changed.set(id, { row, isNew });
  }
  for (const { row, isNew } of changed.values()) {
    if (isNew) table.insert(row, log);
    else table.update(row, log);
  }
}
