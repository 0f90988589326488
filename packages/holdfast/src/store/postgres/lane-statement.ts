import type { Statement } from "./connection.ts";

// Statements that write lanes. The first part writes their rows, and is called `lane`; the others write
// only what belongs to the lanes that it has written. A text depends on nothing but which parts there are
// and whether they have one row or several: it is made once for each such shape, of which there are few.

/** What is done with some rows. Two parts of one name have the same text. */
export interface Part<Column extends string> extends PartOptions<Column> {
  readonly columnNames: readonly string[];
}

interface PartOptions<Column extends string> {
  readonly name: string;
  /** The columns' types. Only those of the first part have a `session_id`, as the first of all. */
  readonly columns: Readonly<Record<Column, string>>;
  readonly sql: (rows: RowsText<NoInfer<Column>>) => string;
}

export function makePart<Column extends string>(options: PartOptions<Column>): Part<Column> {
  return { ...options, columnNames: Object.keys(options.columns) };
}

/** How a part's text speaks of its rows. */
export interface RowsText<Column extends string> {
  /** What they come from. To the first part it means something only where there are several. */
  readonly from: string;
  /** The session that a row belongs to: of a lane alone a value, by which rows are found at once. */
  readonly whose: string;
  readonly of: (column: Column) => string;
  /** All values of a column; only where there are several rows. */
  readonly all: (column: Column) => string;
  readonly orderBy: (order: string) => string;
}

type Row<Column extends string> = Readonly<Record<Column, unknown>>;

/** A part and its rows, each with the session that it belongs to. */
export interface FilledPart {
  readonly part: Part<string>;
  readonly rows: readonly Row<string>[];
}

export function fill<Column extends string>(
  part: Part<Column>,
  rows: readonly Row<NoInfer<Column> | "session_id">[],
): FilledPart {
  return { part, rows };
}

/**
 * Of a lane alone no row says whose it is, a single row is no table, and the answer is a row without
 * columns: that costs both sides less. Of several lanes the answer names those that were written.
 */
export function laneStatement(
  parts: readonly FilledPart[],
  { isAlone }: { isAlone: boolean },
): Statement {
  const values: unknown[] = [];
  let shape = isAlone ? "lane" : "lanes";
  const shaped: ShapedPart[] = [];
  for (const { part, rows } of parts) {
    if (rows.length === 0) continue;
    const isHead = shaped.length === 0;
    const single = isAlone && rows.length === 1 ? rows[0] : undefined;
    const names = isHead || isAlone ? part.columnNames : ["session_id", ...part.columnNames];
    for (const name of names) {
      values.push(single === undefined ? rows.map((row) => row[name]) : single[name]);
    }
    shaped.push({ part, names, isHead, isAlone, isSingle: single !== undefined });
    shape += single === undefined ? ` ${part.name}+` : ` ${part.name}`;
  }
  const { name, text } = known.get(shape) ?? prepare(shape, { parts: shaped, isAlone });
  return { name, text, values };
}

interface ShapedPart {
  readonly part: Part<string>;
  readonly names: readonly string[];
  readonly isHead: boolean;
  readonly isAlone: boolean;
  readonly isSingle: boolean;
}

interface Prepared {
  readonly name: string;
  readonly text: string;
}

const known = new Map<string, Prepared>();

function prepare(
  shape: string,
  { parts, isAlone }: { parts: readonly ShapedPart[]; isAlone: boolean },
): Prepared {
  let places = 0;
  const texts = parts.map((shaped) => {
    const { part, names, isHead } = shaped;
    const text = part.sql(rowsText(shaped, places));
    places += names.length;
    return `${isHead ? "lane" : part.name} AS (${text})`;
  });
  const text = `WITH ${texts.join(",\n")}\nSELECT ${isAlone ? "" : "session_id"} FROM lane`;
  // Named, it is prepared once per connection.
  const prepared = { name: `write-lane-${known.size}`, text };
  known.set(shape, prepared);
  return prepared;
}

function rowsText(shaped: ShapedPart, places: number): RowsText<string> {
  const { part, names, isHead, isAlone, isSingle } = shaped;
  const value = (name: string, suffix: string): string =>
    `$${places + names.indexOf(name) + 1}::${part.columns[name] ?? "text"}${suffix}`;
  const all = (name: string): string => value(name, "[]");
  const table = `unnest(${names.map(all).join(", ")}) AS new (${names.join(", ")})`;
  const joined = isAlone ? `lane CROSS JOIN ${table}` : `lane JOIN ${table} USING (session_id)`;
  const source = isHead ? table : joined;
  return {
    from: isSingle ? "lane" : source,
    // The first value of all is the first lane's session.
    whose: isAlone ? "$1::text" : "new.session_id",
    of: (name) => (isSingle ? value(name, "") : `new.${name}`),
    all,
    orderBy: (order) => (isSingle ? "" : `ORDER BY ${order}`),
  };
}
