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
  lane(batch: LaneBatch, known: KnownLane | null, log: LogEnd): KnownLane | null;
  body(body: Body): void;
}

/** The position of the last event, moved on with each that is appended. */
export interface LogEnd {
  position: number;
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
    lane(batch, known, log) {
      const { state, events, receipts } = batch;
      if (state === null) return null;
      for (const receipt of receipts) {
        insertReceipt.run(state.sessionId, receipt.cancelId, JSON.stringify(receipt));
      }
      const [first] = events;
      const last = events.at(-1);
      if (first === undefined || last === undefined) return null;
      const positions = events.map(() => (log.position += 1));
      const write = { state, createdAt: first.at, updatedAt: last.at, positions };
      const next = known === null ? laneRows.insert(write) : laneRows.update(known, write);
      const { lane } = next;
      for (const [index, event] of events.entries()) {
        appendEvent({ position: positions[index] ?? 0, lane, event });
      }
      saveRows({ lane, events, rows: batch.prompts, table: prompts });
      saveRows({ lane, events, rows: batch.asks, table: asks });
      return next;
    },
    body: prepareBodyWrite(database),
  };
}

function prepareAppend(
  database: DatabaseSync,
): (place: { position: number; lane: number; event: LaneEvent }) => void {
  const insert = database.prepare(
    `INSERT INTO events (position, lane, seq, at, type, subject, once, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ position, lane, event }) => {
    const { seq, at, type } = event;
    const once = onceNumbers[type] ?? null;
    insert.run(position, lane, seq, at, type, subjectOf(event), once, JSON.stringify(event));
  };
}

/** How the rows of one kind are changed by events, read, and written. */
interface RowTable<Row> {
  changeOf(event: LaneEvent): RowChange<Row> | null;
  read(lane: number, change: { sessionId: string; id: string }): Row | null;
  save(row: Row, from: { lane: number; isAsBrought: boolean }): void;
}

function preparePrompts(database: DatabaseSync, reads: Reads): RowTable<LedgerRow> {
  const save = database.prepare(
    `INSERT INTO prompts (position, row)
     SELECT position, ? FROM events
     WHERE lane = ? AND subject = ? AND once <= ${onceNumbers["prompt.tombstoned"]}
     ON CONFLICT (position) DO UPDATE SET row = excluded.row`,
  );
  return {
    changeOf: ledgerChange,
    read: (lane, { id }) => reads.prompt(lane, id),
    save(row, { lane, isAsBrought }) {
      if (!isAsBrought) save.run(JSON.stringify(row), lane, row.promptId);
    },
  };
}

function prepareAsks(database: DatabaseSync, reads: Reads): RowTable<AskRow> {
  const save = database.prepare(
    `INSERT INTO asks (session_id, ask_id, opened_at, open, row) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (session_id, ask_id) DO UPDATE SET open = excluded.open, row = excluded.row`,
  );
  return {
    changeOf: askChange,
    read: (_, { sessionId, id }) => reads.ask(sessionId, id),
    save(row) {
      const { sessionId, askId, openedAt, closed } = row;
      save.run(sessionId, askId, openedAt, closed === null ? 1 : 0, JSON.stringify(row));
    },
  };
}

/** Saves each row that the events change, once: as the batch knows it, else folded from what is stored. */
function saveRows<Row>(save: {
  lane: number;
  events: readonly LaneEvent[];
  rows: ReadonlyMap<string, Row | null>;
  table: RowTable<Row>;
}): void {
  const { lane, events, rows, table } = save;
  const changed = new Map<string, { row: Row; isAsBrought: boolean }>();
  for (const event of events) {
    const change = table.changeOf(event);
    if (change === null) continue;
    const { id } = change;
    const isAsBrought = change.row !== null;
    const row = rows.get(id) ?? changedRow(formerRow(event.sessionId, change), change);
    if (row === null) throw new Error(`${event.type} changes ${id}, which is not on record`);
    changed.set(id, { row, isAsBrought });
  }
  for (const { row, isAsBrought } of changed.values()) table.save(row, { lane, isAsBrought });

  function formerRow(sessionId: string, change: RowChange<Row>): Row | null {
    if (change.row !== null) return null;
    const { id } = change;
    return changed.get(id)?.row ?? table.read(lane, { sessionId, id });
  }
}
