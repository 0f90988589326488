import type { Statement } from "./connection.ts";

// Builds statements that write lanes. The first part, called `lane`, writes the lane rows; the other parts
// write only rows of the lanes that the first part wrote. The text depends only on which parts there are and
// whether they have one row or several, so each of the few shapes is built once.

/** A part of an SQL statement that writes some rows. Parts with the same name have the same SQL text. */
export interface Part<Column extends string> extends PartOptions<Column> {
  readonly columnNames: readonly string[];
}

interface PartOptions<Column extends string> {
  readonly name: string;
  /**
   * Types of the columns that this part of the SQL statement writes. Only the first part, which writes the table
   * `lanes`, lists the column `session_id`, and lists it first.
   */
  readonly columns: Readonly<Record<Column, string>>;
  readonly sql: (rows: RowsText<NoInfer<Column>>) => string;
}

export function makePart<Column extends string>(options: PartOptions<Column>): Part<Column> {
  return { ...options, columnNames: Object.keys(options.columns) };
}

/** SQL fragments that refer to the rows that one part of an SQL statement writes. */
export interface RowsText<Column extends string> {
  /**
   * SQL for the FROM clause that returns the rows to write. The first part of the statement (it writes the table
   * `lanes`) must not use this text if it writes only one row: the text would then refer to the first part itself.
   */
  readonly from: string;
  /** SQL for the session id of a row. For a single lane it is a constant, which makes the lookup fast. */
  readonly whose: string;
  readonly of: (column: Column) => string;
  /** SQL for all values of a column. May be used only if there are several rows. */
  readonly all: (column: Column) => string;
  readonly orderBy: (order: string) => string;
}

type Row<Column extends string> = Readonly<Record<Column, unknown>>;

/** One part of an SQL statement, and the rows that it writes. Each row contains its session id. */
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
 * Builds a statement that writes one lane or several. For one lane (`isAlone`), passes single rows as plain parameters
 * instead of arrays, which is faster. The statement then returns an empty row if it wrote the lane. For several lanes,
 * the statement returns the ids of the lanes that it wrote.
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
  // A named statement is prepared once per connection.
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
    // The first parameter is the session id of the first lane.
    whose: isAlone ? "$1::text" : "new.session_id",
    of: (name) => (isSingle ? value(name, "") : `new.${name}`),
    all,
    orderBy: (order) => (isSingle ? "" : `ORDER BY ${order}`),
  };
}
