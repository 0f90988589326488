import type { LaneEvent } from "../../kernel/event.ts";
import { changedRow } from "../../kernel/ledger.ts";
import type { RowChange } from "../../kernel/ledger.ts";
import type { Places } from "./places.ts";

/** Describes how one kind of row is changed by events, read and written. */
export interface RowTable<Row> {
  changeOf(event: LaneEvent): RowChange<Row> | null;
  read(lane: number, change: { sessionId: string; id: string }): Row | null;
  /** `isAsBrought`: true if no event has changed the row since the event that created it. */
  save(row: Row, from: { lane: number; places: Places; isAsBrought: boolean }): void;
}

/**
 * Saves and returns each row of `table` that the new events of a session change. If `rows` already has the changed row,
 * saves that row; otherwise applies the events to the stored row.
 */
export function saveRows<Row>(save: {
  lane: number;
  places: Places;
  events: readonly LaneEvent[];
  rows: ReadonlyMap<string, Row | null>;
  table: RowTable<Row>;
}): ReadonlyMap<string, Row> {
  const { lane, places, events, rows, table } = save;
  const changed = new Map<string, Row>();
  const asBrought = new Set<string>();
  for (const event of events) {
    const change = table.changeOf(event);
    if (change === null) continue;
    const { id } = change;
    const row = rows.get(id) ?? changedRow(formerRow(event.sessionId, change), change);
    if (row === null)
      throw new Error(`the event ${event.type} changes the row ${id}, which does not exist`);
    changed.set(id, row);
    if (change.row === null) asBrought.delete(id);
    else asBrought.add(id);
  }
  for (const [id, row] of changed)
    table.save(row, { lane, places, isAsBrought: asBrought.has(id) });
  return changed;

  function formerRow(sessionId: string, change: RowChange<Row>): Row | null {
    if (change.row !== null) return null;
    const { id } = change;
    return changed.get(id) ?? table.read(lane, { sessionId, id });
  }
}
