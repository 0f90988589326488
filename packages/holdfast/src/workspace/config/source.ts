import { shown } from "../../agent/tools/paths.ts";
import type { Notice } from "../loader.ts";

/** A parsed file with the position of each value. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly root: SourceNode;
}

export type SourceNode =
  | {
      readonly kind: "object";
      readonly at: number;
      readonly entries: ReadonlyMap<string, SourceEntry>;
    }
  | { readonly kind: "list"; readonly at: number; readonly items: readonly SourceNode[] }
  | {
      readonly kind: "value";
      readonly at: number;
      readonly value: string | number | boolean | null;
    };

export interface SourceEntry {
  /** Position of the key in the file. */
  readonly at: number;
  readonly node: SourceNode;
}

export type KeyPath = readonly (string | number)[];

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the position of a value or of its key. If the value is missing, the position of its nearest existing parent.
 */
export function placeOf(source: Source, path: KeyPath, of: "name" | "value" = "value"): Place {
  let { at } = source.root;
  let node: SourceNode | undefined = source.root;
  for (const [index, key] of path.entries()) {
    const entry: SourceEntry | undefined = entryOf(node, key);
    if (entry === undefined) break;
    const isLast = index === path.length - 1;
    at = isLast && of === "name" ? entry.at : entry.node.at;
    ({ node } = entry);
  }
  return { file: source.file, ...lineAndColumn(source.text, at) };
}

function entryOf(node: SourceNode, key: string | number): SourceEntry | undefined {
  switch (node.kind) {
    case "object":
      return node.entries.get(String(key));
    case "list": {
      const item = typeof key === "number" ? node.items[key] : undefined;
      return item === undefined ? undefined : { at: item.at, node: item };
    }
    case "value":
      return undefined;
  }
}

/** Converts an offset to a line and a column, both counted from 1 as in editors. */
export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  return { line, column: at - (before.lastIndexOf("\n") + 1) + 1 };
}

/** Formats a path for people: `mcp.files.command[0]`. */
export function keyText(path: KeyPath): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      if (/^[\w$-]{1,64}$/.test(key)) return index === 0 ? key : `.${key}`;
      return `[${quoted(key)}]`;
    })
    .join("");
}

/** Quotes a text from a file and shortens it to fit on one line. */
export function quoted(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
  const safe = shown(short);
  return safe.startsWith('"') ? safe : JSON.stringify(safe);
}

export function notice(
  severity: Notice["severity"],
  options: { place: Place; path: KeyPath; message: string },
): Notice {
  const { place, path, message } = options;
  return { severity, ...place, key: path.length === 0 ? null : keyText(path), message };
}

/**
 * Creates a notice without a line number, about a whole file. If `file` is null, the notice names no file.
 */
export function fileNotice(
  severity: Notice["severity"],
  file: string | null,
  message: string,
): Notice {
  return { severity, file, line: null, column: null, key: null, message };
}

/** Maximum number of notices per file. More would not help, because people fix the first ones first. */
export const maxNotices = 20;
