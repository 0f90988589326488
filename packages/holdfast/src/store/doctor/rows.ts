import { isDeepStrictEqual } from "node:util";
import type { LaneEvent } from "../../kernel/event.ts";
import type { RowChange } from "../../kernel/ledger.ts";

/** Describes one kind of row: how to derive it from a log and how to read the stored row. */
export interface RowKind<Row> {
  /** Prefix of an error message: the number of the violated guarantee and the kind of row, such as "P4: prompt". */
  readonly name: string;
  changeOf(event: LaneEvent): RowChange<Row> | null;
  /** True if no later event can change the row. */
  isFinal(row: Row): boolean;
  read(id: string): Promise<Row | null>;
}

/** Compares stored rows with the rows derived from the log. Keeps only those rows in memory that may still change. */
export interface RowCheck {
  add(event: LaneEvent): void;
  /**
   * Checks the rows that have become final since the last call: no later event can change a final row. Returns the
   * differences between the stored rows and the log.
   */
  examineFinal(): Promise<string[]>;
  /**
   * Compares the stored rows that may still change with the rows derived from the log. `later` reads the events that
   * were appended after the log was read.
   */
  examineOpen(later: () => AsyncIterable<LaneEvent>): Promise<string[]>;
  openIds(): string[];
}

export function createRowCheck<Row extends object>(kind: RowKind<Row>): RowCheck {
  const open = new Map<string, Row>();
  let final: { id: string; row: Row }[] = [];
  return {
    add: (event) => {
      const change = kind.changeOf(event);
      if (change === null) return;
      const { id } = change;
      const row = changed(open.get(id) ?? null, change);
      if (row === null) return;
      if (!kind.isFinal(row)) {
        open.set(id, row);
        return;
      }
      open.delete(id);
      final.push({ id, row });
    },
    examineFinal: async () => {
      const problems: string[] = [];
      const rows = final;
      final = [];
      for (const { id, row } of rows) {
        const stored = await kind.read(id);
        if (!isDeepStrictEqual(stored, row))
          problems.push(difference(kind.name, { id, row, stored }));
      }
      return problems;
    },
    examineOpen: async (later) => {
      const different = new Map<string, { row: Row; stored: Row | null }>();
      for (const [id, row] of open) {
        const stored = await kind.read(id);
        if (!isDeepStrictEqual(stored, row)) different.set(id, { row, stored });
      }
      const problems = new Map(
        [...different].map(([id, rows]) => [id, difference(kind.name, { id, ...rows })]),
      );
      if (problems.size > 0) await excuse(kind, { different, problems, later });
      return [...problems.values()];
    },
    openIds: () => [...open.keys()],
  };
}

/**
 * Drops false alarms: rows are read after the log, so a row may already contain changes of events that were added in
 * between.
 */
async function excuse<Row extends object>(
  kind: RowKind<Row>,
  options: {
    different: ReadonlyMap<string, { row: Row; stored: Row | null }>;
    problems: Map<string, string>;
    later: () => AsyncIterable<LaneEvent>;
  },
): Promise<void> {
  const { different, problems } = options;
  const rows = new Map([...different].map(([id, { row }]) => [id, row]));
  for await (const event of options.later()) {
    const change = kind.changeOf(event);
    const row = change === null ? undefined : rows.get(change.id);
    if (change === null || row === undefined) continue;
    const next = { ...row, ...change.patch };
    rows.set(change.id, next);
    if (isDeepStrictEqual(different.get(change.id)?.stored, next)) problems.delete(change.id);
  }
}

function changed<Row extends object>(row: Row | null, change: RowChange<Row>): Row | null {
  return row === null ? change.row : { ...row, ...change.patch };
}

function difference<Row extends object>(
  name: string,
  rows: { id: string; row: Row; stored: Row | null },
): string {
  const { id, row, stored } = rows;
  if (stored === null) return `${name} ${id} is in the log and not on record`;
  return `${name} ${id} is on record otherwise than in the log (${differingKeys(row, stored)})`;
}

/** Lists the names of the fields that differ, for the text of a problem. */
export function differingKeys(left: object, right: object): string {
  const leftEntries = new Map<string, unknown>(Object.entries(left));
  const rightEntries = new Map<string, unknown>(Object.entries(right));
  const keys = new Set([...leftEntries.keys(), ...rightEntries.keys()]);
  return [...keys]
    .filter((key) => !isDeepStrictEqual(leftEntries.get(key), rightEntries.get(key)))
    .join(", ");
}
