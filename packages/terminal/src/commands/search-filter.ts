import { resolve } from "node:path";
import type { SearchQuery, TextKind } from "@holdfast/sdk";

export type TypedSearch =
  | { readonly status: "empty" }
  | { readonly status: "invalid"; readonly message: string }
  | { readonly status: "search"; readonly query: SearchQuery };

/** Filters that people can type between the words, with the names that `holdfast search` uses. */
export const filterNames = "--kind, --since, --until, --dir, --session, --archived";

/**
 * Reads words and filters, as in `flaky "connection reset" --kind prompt,answer --since 2026-11-01`.
 *
 * @param directory Relative paths start here.
 */
export function parseSearch(typed: string, directory: string): TypedSearch {
  const pieces = typed.match(/"[^"]*"?|[^\s"]+/g) ?? [];
  const words: string[] = [];
  let query: Omit<SearchQuery, "q"> = {};
  for (let place = 0; place < pieces.length; place += 1) {
    const piece = pieces[place] ?? "";
    if (!piece.startsWith("--")) words.push(piece);
    else if (piece === "--archived") query = { ...query, archived: true };
    else {
      const name = filters.find((known) => known === piece);
      if (name === undefined) return invalid(`Unknown filter ${piece}. Filters: ${filterNames}`);
      place += 1;
      const value = (pieces[place] ?? "").replaceAll('"', "");
      const read = value === "" ? null : readFilter(name, value, directory);
      if (read === null) return invalid(`${name} needs ${needs[name]}`);
      query = { ...query, ...read };
    }
  }
  const q = words.join(" ");
  return q === "" ? { status: "empty" } : { status: "search", query: { ...query, q } };
}

const kinds: readonly TextKind[] = ["title", "prompt", "answer", "toolCall", "toolResult"];
const filters = ["--kind", "--since", "--until", "--dir", "--session"] as const;
type Filter = (typeof filters)[number];

const needs: Readonly<Record<Filter, string>> = {
  "--kind": `one or more of ${kinds.join(", ")}, separated by commas`,
  "--since": "a date such as 2026-11-01, or a time such as 2026-11-01T09:30",
  "--until": "a date such as 2026-11-01, or a time such as 2026-11-01T09:30",
  "--dir": "a directory",
  "--session": "the whole id of a session",
};

function readFilter(name: Filter, value: string, directory: string): Omit<SearchQuery, "q"> | null {
  switch (name) {
    case "--kind": {
      const found = value.split(",").map((text) => kinds.find((kind) => kind === text));
      return found.every((kind) => kind !== undefined) ? { kind: found } : null;
    }
    case "--since":
    case "--until": {
      const time = Date.parse(value);
      if (Number.isNaN(time) || time < 0) return null;
      return name === "--since" ? { since: time } : { until: time };
    }
    case "--dir":
      return { directory: resolve(directory, value) };
    case "--session":
      return { session: value };
  }
}

function invalid(message: string): TypedSearch {
  return { status: "invalid", message };
}
