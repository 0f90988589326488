import { foldText, lower } from "../../store/search/fold.ts";
import type { FoldedText } from "../../store/search/fold.ts";
import type { ParsedQuery } from "../../store/search/terms.ts";

/** A part of a snippet, which either matches the search or does not. */
export interface SnippetPart {
  readonly text: string;
  /** True if this part of the snippet matches the search query. */
  readonly isMatch: boolean;
}

const before = 60;
const longest = 240;
/** Maximum number of characters of a text to search. The index contains no more of a text either. */
const maxCompared = 100_000;

/**
 * Returns a function that finds the first match in a text and returns the part around it, split into matching and other
 * pieces. The function returns null if the text lacks a phrase or an identifier of the query.
 */
export function createMatcher({
  terms,
  literals,
}: ParsedQuery): (text: string) => SnippetPart[] | null {
  const needles = [...literals, ...terms.map(({ text }) => text)];
  return (original) => {
    const folded = foldText(original.slice(0, maxCompared).replaceAll(/\s/g, " "));
    const haystack = lower(folded.folded);
    const single = literals.length === 0 ? haystack : haystack.replaceAll(/ +/g, " ");
    if (!literals.every((literal) => single.includes(literal))) return null;
    const matches = needles.flatMap((needle) => rangesOf(needle, { haystack, folded }));
    return snippetOf(folded.text, merged(matches));
  };
}

type Range = readonly [start: number, end: number];

const maxRanges = 50;

/** Finds each occurrence of a needle at the start of a word or at the start of a part of an identifier. */
function rangesOf(needle: string, text: { haystack: string; folded: FoldedText }): Range[] {
  const { haystack, folded } = text;
  const ranges: Range[] = [];
  for (
    let at = haystack.indexOf(needle);
    at !== -1 && ranges.length < maxRanges;
    at = haystack.indexOf(needle, at + needle.length)
  ) {
    if (!startsWord(folded.folded, at)) continue;
    ranges.push([folded.place(at), folded.place(at + needle.length)]);
  }
  return ranges;
}

const insideWord = /^[\p{Ll}\p{N}][\p{Ll}\p{N}]$/u;

function startsWord(text: string, at: number): boolean {
  return at === 0 || !insideWord.test(text.slice(at - 1, at + 1));
}

/** Sorts ranges and merges those that overlap. */
function merged(ranges: readonly Range[]): Range[] {
  const found: Range[] = [];
  for (const range of ranges.toSorted(([left], [right]) => left - right)) {
    const last = found.at(-1);
    if (last !== undefined && range[0] <= last[1]) {
      found[found.length - 1] = [last[0], Math.max(last[1], range[1])];
    } else found.push(range);
  }
  return found;
}

function snippetOf(text: string, matches: readonly Range[]): SnippetPart[] {
  const first = matches[0]?.[0] ?? 0;
  const start = first <= before ? 0 : startOfWord(text, first - before);
  const end = Math.min(text.length, start + longest);
  const parts: SnippetPart[] = start === 0 ? [] : [{ text: "…", isMatch: false }];
  const add = (from: number, to: number, isMatch: boolean): void => {
    const piece = text.slice(from, to).toWellFormed().replaceAll(/ +/g, " ");
    if (piece !== "") parts.push({ text: piece, isMatch });
  };
  let at = start;
  for (const [from, to] of matches) {
    if (from >= end) break;
    add(at, from, false);
    at = Math.min(to, end);
    add(from, at, true);
  }
  add(at, end, false);
  if (end < text.length) parts.push({ text: "…", isMatch: false });
  return parts;
}

/** Returns the start of the next word if it is near `at`; otherwise returns `at`. */
function startOfWord(text: string, at: number): number {
  const space = text.indexOf(" ", at);
  return space === -1 || space > at + 20 ? at : space + 1;
}
