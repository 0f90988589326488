import type { Statement } from "./connection.ts";

/** Puts a statement together out of parts, each with its own values. */
export interface StatementBuilder {
  /** Takes a value and gives its place in the text. */
  value(this: void, value: unknown, type: string): string;
  /** Takes lists of one length and gives them as a table, named `new`. */
  table(this: void, columns: Readonly<Record<string, Column>>): string;
  add(part: string): void;
  finish(select: string): Statement;
}

export interface Column {
  readonly type: string;
  readonly values: readonly unknown[];
}

export function column(type: string, values: readonly unknown[]): Column {
  return { type, values };
}

export function startStatement(kind: string): StatementBuilder {
  const values: unknown[] = [];
  const parts: string[] = [];
  const value = (given: unknown, type: string): string => `$${values.push(given)}::${type}`;
  return {
    value,
    table: (columns) => {
      const lists = Object.values(columns);
      const names = Object.keys(columns).join(", ");
      // One row as it is costs both sides less than lists of one.
      if (lists.every((list) => list.values.length === 1)) {
        const row = lists.map((list) => value(list.values[0], list.type));
        return `(VALUES (${row.join(", ")})) AS new (${names})`;
      }
      const arrays = lists.map((list) => value(list.values, `${list.type}[]`));
      return `unnest(${arrays.join(", ")}) AS new (${names})`;
    },
    add: (part) => void parts.push(part),
    finish: (select) => {
      const text = `WITH ${parts.join(",\n")}\n${select}`;
      return { name: nameOf(kind, text), text, values };
    },
  };
}

/** The same text has the same name, so that it is prepared once per connection. There are few. */
function nameOf(kind: string, text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `${kind}-${names.size}`;
  names.set(text, name);
  return name;
}

const names = new Map<string, string>();
