import { createTwoFilesPatch } from "diff";
import { shown } from "./paths.ts";

const contextLines = 3;
const maxEdits = 5_000;
const maxMilliseconds = 1_000;
/**
 * If a diff takes too long to compute and both texts together have more characters than this, the diff shows only how
 * many lines were replaced.
 */
const maxReplacement = 6_000_000;

export interface DiffOptions {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
  /** Number of unchanged lines around each change. */
  readonly context?: number;
}

/** A unified diff of one file, and how many lines it adds and removes. */
export interface Diff {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

export function showDiff(options: DiffOptions): string {
  return makeDiff(options).text;
}

/**
 * Compares two texts. If that takes too long, the diff replaces all lines between the common beginning and end of the
 * texts.
 */
export function makeDiff({ path, before, after, context = contextLines }: DiffOptions): Diff {
  const name = shown(path);
  const names = { old: before === null ? "/dev/null" : `a/${name}`, new: `b/${name}` };
  const options = { context, maxEditLength: maxEdits, timeout: maxMilliseconds };
  const patch = createTwoFilesPatch(
    names.old,
    names.new,
    before ?? "",
    after,
    undefined,
    undefined,
    options,
  );
  if (patch === undefined) return replacement(names, { before: before ?? "", after, context });
  // Replace the separator line and the file names: the library escapes every name that is not ASCII.
  const hunks = patch.replace(/^(?:={3,}\n)?--- .*\n\+\+\+ .*\n/, "");
  const text = `${headOf(names)}${hunks}`;
  return { text, ...countChanges(text) };
}

/** Returns the first lines of a diff, at most `max` characters. `omitted` is the number of lines that are left out. */
export function headOfDiff(
  text: string,
  max: number,
): { readonly text: string; readonly omitted: number } {
  if (text.length <= max) return { text, omitted: 0 };
  const head = text.slice(0, text.lastIndexOf("\n", max - 1) + 1);
  return { text: head, omitted: countLines(text) - countLines(head) };
}

function countChanges(patch: string): Omit<Diff, "text"> {
  let added = 0;
  let removed = 0;
  let isInHunk = false;
  for (const line of patch.split("\n")) {
    if (line.startsWith("@@ ")) isInHunk = true;
    else if (isInHunk && line.startsWith("+")) added += 1;
    else if (isInHunk && line.startsWith("-")) removed += 1;
  }
  return { added, removed };
}

interface Names {
  readonly old: string;
  readonly new: string;
}

function headOf(names: Names): string {
  return `--- ${names.old}\n+++ ${names.new}\n`;
}

function replacement(
  names: Names,
  { before, after, context }: { before: string; after: string; context: number },
): Diff {
  const from = linesOf(before);
  const to = linesOf(after);
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start += 1;
  let same = 0;
  while (same < shorter - start && from.at(-1 - same) === to.at(-1 - same)) same += 1;
  const removed = from.slice(start, from.length - same);
  const added = to.slice(start, to.length - same);
  const counts = { added: added.length, removed: removed.length };
  const head = headOf(names);
  const size = before.length + after.length;
  if (size > maxReplacement) {
    const text = `${head}(${counts.removed} lines replaced by ${counts.added})\n`;
    return { text, ...counts };
  }
  const above = from.slice(Math.max(0, start - context), start);
  const below = from.slice(from.length - same).slice(0, context);
  const first = start - above.length + 1;
  const around = above.length + below.length;
  const hunk = `@@ -${first},${around + removed.length} +${first},${around + added.length} @@\n`;
  const body = [signed(" ", above), signed("-", removed), signed("+", added), signed(" ", below)];
  return { text: `${head}${hunk}${body.join("")}`, ...counts };
}

/** Adds a sign at the start of each line. */
function signed(sign: string, lines: readonly string[]): string {
  return lines
    .map((line) => `${sign}${line.endsWith("\n") ? line : `${line}\n${noNewline}`}`)
    .join("");
}

const noNewline = "\\ No newline at end of file\n";

/** Splits a text into lines that keep their line ends. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== "");
}

function countLines(text: string): number {
  return linesOf(text).length;
}
