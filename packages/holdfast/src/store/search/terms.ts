import { foldText, lower } from "./fold.ts";

// The terms of the search index. Both stores and all queries use these functions, so that a word is split in the same
// way when it is stored and when it is searched for.
//
// - A word is a run of letters and digits: `snake_case`, `a.dotted.name` and `kebab-case` are several words.
// - A word in camelCase is stored as a whole and in parts: `readFile` as `readfile`, `read` and `file`.
// - Text in scripts without spaces between words is stored as pairs of neighbouring characters, and the last character
//   also alone: `日本語` as `日本`, `本語` and `語`.

/** A term that a text must contain. */
export interface Term {
  readonly text: string;
  /**
   * True: a searched document matches if one of its terms starts with `text`. False: a term must be equal to `text`.
   */
  readonly isPrefix: boolean;
}

export interface ParsedQuery {
  readonly terms: readonly Term[];
  /**
   * Strings that the text must contain literally, in lower case and folded: quoted phrases, identifiers and other words
   * that are split into several terms. They are compared with the text itself, because the index does not store the
   * order of terms.
   */
  readonly literals: readonly string[];
}

/** Number of characters of a text that are indexed; the rest is ignored. */
const maxIndexedText = 100_000;
/** Approximate maximum number of different terms of a text that are indexed. */
const maxTermsOfText = 5_000;
const maxTermLength = 64;
export const maxQueryTerms = 64;

/** Returns the different terms of a text for the index. */
export function indexTerms(text: string): string[] {
  const terms = new Set<string>();
  for (const word of wordsOf(foldText(text.slice(0, maxIndexedText)).folded)) {
    if (terms.size >= maxTermsOfText) break;
    for (const term of isDense.test(word) ? pairs(word) : wholeAndParts(word)) terms.add(term);
  }
  return [...terms];
}

/** Parses the text that a person searches for. Operators have no meaning, except quotes and a final `*`. */
export function parseQuery(text: string): ParsedQuery {
  const terms = new Map<string, Term>();
  const literals = new Set<string>();
  for (const [, phrase, word] of text.matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const piece = foldText(phrase ?? word ?? "").folded;
    const wantsPrefix = phrase === undefined && /[\p{L}\p{N}]\*$/u.test(piece);
    const found = termsOfPiece(piece, wantsPrefix);
    for (const term of found) terms.set(`${term.text}${term.isPrefix ? "*" : ""}`, term);
    if (found.length > 1) literals.add(literalOf(piece));
  }
  return { terms: [...terms.values()], literals: [...literals] };
}

/**
 * Converts a search phrase to the form in which it is compared with texts: lower case, single spaces, and no
 * punctuation at the start and the end.
 */
function literalOf(folded: string): string {
  const words = lower(folded).replaceAll(/\s+/g, " ");
  return words.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

function termsOfPiece(piece: string, wantsPrefix: boolean): Term[] {
  const words = wordsOf(piece);
  return words.flatMap((word, index): Term[] => {
    const isPrefix = wantsPrefix && index === words.length - 1;
    if (isDense.test(word)) return denseTerms(word);
    const parts = partsOf(word);
    return parts.map((part, place) => ({
      text: termOf(part),
      isPrefix: (isPrefix && place === parts.length - 1) || part.length > maxTermLength,
    }));
  });
}

/**
 * Splits a word of a script without spaces, such as Chinese, into pairs of neighbouring characters. The search index
 * contains such pairs, and the last character of each word alone. A word of one character is searched as a prefix,
 * which matches both.
 */
function denseTerms(word: string): Term[] {
  const characters = Array.from(word);
  if (characters.length === 1) return [{ text: lower(word), isPrefix: true }];
  return pairs(word)
    .slice(0, -1)
    .map((text) => ({ text, isPrefix: false }));
}

const dense = ["Han", "Hira", "Kana", "Hang", "Thai", "Laoo", "Khmr", "Mymr"]
  .map((script) => `\\p{scx=${script}}`)
  .join("");
const isDense = new RegExp(`^[${dense}]`, "u");
const wordPattern = new RegExp(
  `(?:(?=[\\p{L}\\p{N}])[${dense}])+|(?:(?![${dense}])[\\p{L}\\p{N}])+`,
  "gu",
);

function wordsOf(folded: string): string[] {
  return folded.match(wordPattern) ?? [];
}

/** Returns all pairs of neighbouring characters, then the last character alone. */
function pairs(word: string): string[] {
  const characters = Array.from(lower(word));
  return characters.map((character, index) => character + (characters[index + 1] ?? ""));
}

function wholeAndParts(word: string): string[] {
  const parts = partsOf(word);
  return (parts.length > 1 ? [word, ...parts] : [word]).map(termOf);
}

function partsOf(word: string): string[] {
  return word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
}

/** Shortens a long word, such as a hash, without splitting a character. */
function termOf(word: string): string {
  const text = lower(word);
  return text.length <= maxTermLength
    ? text
    : text.slice(0, maxTermLength).toWellFormed().replace("\uFFFD", "");
}
