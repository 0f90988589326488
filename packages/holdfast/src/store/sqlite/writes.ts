import type { DatabaseSync } from "node:sqlite";
import type { LaneEvent } from "../../kernel/event.ts";
import { askChange } from "../../kernel/ledger.ts";
import type { AskRow, LedgerRow } from "../../kernel/ledger.ts";
import type { LaneBatch } from "../../kernel/transaction.ts";
import { onceNumberOf, subjectOf } from "../../kernel/event-table.ts";
import type { Body } from "../store.ts";
import { prepareBodyWrite } from "./bodies.ts";
import type { KnownLane } from "./lane-cache.ts";
import { prepareLaneRows } from "./lane-row.ts";
import { prepareLedgerWrites } from "./ledger-writes.ts";
import { placesOf } from "./places.ts";
import type { Reads } from "./reads.ts";
import type { Recent } from "./recent.ts";
import { saveRows } from "./row-table.ts";
import type { RowTable } from "./row-table.ts";
import type { SearchWrites } from "./search.ts";

/** All writes of a transaction, on prepared statements. */
export interface Writes {
  /**
   * Writes a batch's changes to one lane: its events and the rows derived from them. Returns null if the lane
   * is unchanged.
   */
  lane(batch: LaneBatch, known: KnownLane | null, log: LogEnd): WrittenLane | null;
  body(body: Body): void;
}

/** A lane after its commit. */
export interface WrittenLane {
  readonly known: KnownLane;
  readonly events: readonly LaneEvent[];
  /** Prompt rows that the events changed. */
  readonly prompts: ReadonlyMap<string, LedgerRow>;
}

/** Position of the last event in the log. Each appended event increments it. */
export interface LogEnd {
  position: number;
}

export function prepareWrites(
  database: DatabaseSync,
  memory: { reads: Reads; recent: Recent; search: Pick<SearchWrites, "remove"> },
): Writes {
  const appendEvent = prepareAppend(database);
  const laneRows = prepareLaneRows(database);
  const promptTable = prepareLedgerWrites(database, memory);
  const askTable = prepareAsks(database, memory.reads);
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
        if (event.type === "session.deleted") memory.search.remove(event.sessionId);
      }
      const changed = { lane, places: placesOf(known, { events, positions }), events };
      const prompts = saveRows({ ...changed, rows: batch.prompts, table: promptTable });
      saveRows({ ...changed, rows: batch.asks, table: askTable });
      return { known: next, events, prompts };
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
    // The ledger itself ensures that a prompt is settled only once.
    const once = type === "prompt.settled" ? null : onceNumberOf(event);
    insert.run(position, lane, seq, at, type, subjectOf(event), once, JSON.stringify(event));
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
