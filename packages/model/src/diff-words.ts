import type { DiffLine } from "./diff-lines.ts";

/** A part of a line: the position of its first character, and the position after its last character. */
export type TextRange = readonly [start: number, end: number];

/** Limits for lines that are compared word by word: number of characters and of words. */
const maxCharacters = 1_000;
const maxWords = 200;
/** Minimum share of characters that two lines must have in common. Below it, no words are marked as changed. */
const leastCommon = 0.3;

/**
 * Finds the changed words of lines that were replaced by other lines. Each removed line is compared with the added line
 * at the same position of its block.
 */
export function changedWords(
  all: readonly DiffLine[],
): ReadonlyMap<DiffLine, readonly TextRange[]> {
  const lines = all.filter(({ kind }) => kind !== "note");
  const found = new Map<DiffLine, readonly TextRange[]>();
  for (let at = 0; at < lines.length;) {
    const removed = blockAt(lines, at, "remove");
    const added = blockAt(lines, at + removed.length, "add");
    for (let place = 0; place < Math.min(removed.length, added.length); place += 1) {
      const [before, after] = [removed[place], added[place]];
      if (before === undefined || after === undefined) continue;
      const ranges = compareWords(before.text, after.text);
      if (ranges === null) continue;
      found.set(before, ranges.before);
      found.set(after, ranges.after);
    }
    at += Math.max(1, removed.length + added.length);
  }
  return found;
}

function blockAt(
  lines: readonly DiffLine[],
  start: number,
  kind: DiffLine["kind"],
): readonly DiffLine[] {
  let end = start;
  while (lines[end]?.kind === kind) end += 1;
  return lines.slice(start, end);
}

interface Word {
  readonly text: string;
  readonly start: number;
}

/** Returns the changed parts of both texts. Null if the texts are too different or too long. */
export function compareWords(
  before: string,
  after: string,
): { readonly before: readonly TextRange[]; readonly after: readonly TextRange[] } | null {
  if (before.length > maxCharacters || after.length > maxCharacters) return null;
  const [old, next] = [wordsOf(before), wordsOf(after)];
  if (old.length > maxWords || next.length > maxWords) return null;
  const common = commonWords(old, next);
  const longest = Math.max(lettersOf(old), lettersOf(next));
  const same = lettersOf(old.filter((word) => common.before.has(word)));
  if (longest === 0 || same / longest < leastCommon) return null;
  return { before: rangesOf(old, common.before), after: rangesOf(next, common.after) };
}

/** Returns the number of characters without spaces. */
function lettersOf(words: readonly Word[]): number {
  return words.reduce((sum, { text }) => sum + text.trim().length, 0);
}

function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu)].map((match) => ({
    text: match[0],
    start: match.index,
  }));
}

/** Returns the longest common subsequence of both lists. */
function commonWords(
  before: readonly Word[],
  after: readonly Word[],
): { readonly before: ReadonlySet<Word>; readonly after: ReadonlySet<Word> } {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        before[row]?.text === after[column]?.text
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const common = { before: new Set<Word>(), after: new Set<Word>() };
  for (let row = 0, column = 0; row < before.length && column < after.length;) {
    const [old, next] = [before[row], after[column]];
    if (old !== undefined && next !== undefined && old.text === next.text) {
      common.before.add(old);
      common.after.add(next);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return common;
}

/**
 * Returns the ranges of the words that are not in `common`, the words that both texts share. Neighbouring words form
 * one range.
 */
function rangesOf(words: readonly Word[], common: ReadonlySet<Word>): readonly TextRange[] {
  const ranges: [number, number][] = [];
  for (const word of words) {
    if (common.has(word)) continue;
    const end = word.start + word.text.length;
    const last = ranges.at(-1);
    if (last?.[1] === word.start) last[1] = end;
    else ranges.push([word.start, end]);
  }
  return ranges;
}
