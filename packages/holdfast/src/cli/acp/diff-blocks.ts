import { resolve } from "node:path";
import type { Location, ToolCallContent } from "./protocol.ts";

/** A change as editors draw it: what stood there and what stands there now, for each place. */
export interface DiffBlocks {
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly Location[];
}

/** Out of a unified diff of one file; null for a text that is none, or that only counts lines. */
export function diffBlocks(diff: string, directory: string): DiffBlocks | null {
  const [, from, to] = /^--- (.*)\n\+\+\+ b\/(.*)\n/m.exec(diff) ?? [];
  if (from === undefined || to === undefined) return null;
  const path = resolve(directory, named(to));
  const isNew = named(from) === "/dev/null";
  const [, ...hunks] = diff.split(/^(?=@@ -\d)/m);
  const blocks = hunks.map((hunk) => {
    const [head = "", ...lines] = hunk.replace(/\n$/, "").split("\n");
    const newText = side(lines, "+");
    const line = Number(/\+(\d+)/.exec(head)?.[1] ?? 1);
    return {
      content: { type: "diff", path, oldText: isNew ? null : side(lines, "-"), newText } as const,
      location: { path, line: Math.max(line, 1) },
    };
  });
  if (blocks.length === 0) return null;
  return {
    content: blocks.map(({ content }) => content),
    locations: blocks.map(({ location }) => location),
  };
}

/** A name may be followed by a tab and a time. */
function named(words: string): string {
  return words.split("\t", 1)[0] ?? "";
}

function side(lines: readonly string[], sign: "+" | "-"): string {
  return lines
    .filter((line) => line.startsWith(sign) || line.startsWith(" "))
    .map((line) => `${line.slice(1)}\n`)
    .join("");
}
