import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const places = [
  "packages/*/src/**/*.{ts,tsx}",
  "packages/*/{bin,public}/*.js",
  "{scripts,gauntlet,bench,examples}/**/*.{ts,mjs,js}",
];

/** Lists the comments of the source, each with the line of code that a reader sees below it. */
export function sourceComments(root: string): string[] {
  const files = globSync(places, { cwd: root })
    .filter((file) => !/node_modules|\.gen\.ts$|\.test\.ts$|\/dist\//.test(file))
    .toSorted();
  return files.flatMap((file) => commentsIn(readFileSync(join(root, file), "utf8")));
}

/** Finds comments that start a line. Directives for tools are left out. */
export function commentsIn(text: string): string[] {
  const found: string[] = [];
  const lines = text.split("\n");
  for (let start = 0; start < lines.length; start += 1) {
    const end = endOfComment(lines, start);
    if (end === null) continue;
    const comment = lines.slice(start, end + 1);
    const below = lines[end + 1]?.trim() ?? "";
    const shown = [...comment.map((line) => line.trim()), below].filter((line) => line !== "");
    if (!isDirective(comment)) found.push(shown.join("\n"));
    start = end;
  }
  return found;
}

/** Returns the last line of the comment that starts at line `start`, or null if no comment starts there. */
function endOfComment(lines: readonly string[], start: number): number | null {
  const isLine = (index: number): boolean => /^\s*\/\/ /.test(lines[index] ?? "");
  if (isLine(start)) {
    let end = start;
    while (isLine(end + 1)) end += 1;
    return end;
  }
  if (!/^\s*\/\*\*/.test(lines[start] ?? "")) return null;
  const length = lines.slice(start).findIndex((line) => line.includes("*/"));
  return length === -1 ? null : start + length;
}

function isDirective(comment: readonly string[]): boolean {
  return comment.some((line) => /oxlint-|@ts-|\/\/ Generated|@type |@param /.test(line));
}
