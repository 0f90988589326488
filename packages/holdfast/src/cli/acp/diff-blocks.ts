import { resolve } from "node:path";
import { diffLines } from "@holdfast/model/diff-lines.ts";
import type { Location, ToolCallContent } from "./protocol.ts";

/** A change in the form that editors show: old and new text of each changed section. */
export interface DiffBlocks {
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly Location[];
}

/** Parses a unified diff; null if the text is not a diff, has no hunks, or is about several files. */
export function diffBlocks(diff: string, directory: string): DiffBlocks | null {
  const [, from, to] = /^--- (.*)\n\+\+\+ b\/(.*)\n/m.exec(diff) ?? [];
  if (from === undefined || to === undefined || diffLines(diff).paths.length > 1) return null;
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

/** Removes the tab and the timestamp that may follow a file name. */
function named(words: string): string {
  return words.split("\t", 1)[0] ?? "";
}

function side(lines: readonly string[], sign: "+" | "-"): string {
  return lines
    .map((line, index) => {
      if (!line.startsWith(sign) && !line.startsWith(" ")) return "";
      // `\ No newline at end of file` is about the line before it.
      const isLast = lines[index + 1]?.startsWith("\\") === true;
      return line.slice(1) + (isLast ? "" : "\n");
    })
    .join("");
}
