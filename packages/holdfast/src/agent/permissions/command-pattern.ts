import { pathGlob, textGlob } from "../tools/glob-pattern.ts";
import { riskyWords } from "./known-command.ts";
import type { Word } from "./shell/command-line.ts";
import { normalPlace } from "./shell/explain.ts";

/** A rule's pattern for commands. */
export interface CommandPattern {
  /** The pattern of `cd PLACE && …`; null without it. */
  readonly place: string | null;
  /** One pattern for each word. A word that is only `*` stands for any number of words. */
  readonly words: readonly string[];
  /** The text with which every command begins that the pattern fits. */
  readonly start: string;
  /** Whether the pattern, with `*` for any text, fits a text. */
  readonly fitsText: (text: string) => boolean;
}

export function readPattern(pattern: string): CommandPattern {
  const all = splitWords(pattern);
  const [first, folder = "", joint] = all;
  const isPlaced = first === "cd" && joint === "&&" && all.length > 3;
  const words = isPlaced ? all.slice(3) : all;
  const start = startOf(words.join(" "));
  return { place: isPlaced ? folder : null, words, start, fitsText: textFit(pattern) };
}

/** The characters before the first wildcard, without the blank before a last `*`. */
function startOf(pattern: string): string {
  const [start = ""] = /^(?:\\.|[^\\*?[])*/s.exec(pattern) ?? [];
  return unescape(pattern === `${start}*` ? start.replace(/ $/, "") : start);
}

/** `git status *` fits with or without more words. */
function textFit(pattern: string): (text: string) => boolean {
  const start = startOf(pattern);
  const fits = textGlob(pattern);
  const alone = pattern.endsWith(" *") ? textGlob(pattern.slice(0, -2)) : fits;
  return (text) => text.startsWith(start) && (fits(text) || alone(text));
}

/** Splits at blanks that no backslash protects. */
function splitWords(pattern: string): readonly string[] {
  return pattern.match(/(?:\\.|[^\\ ])+/gs) ?? [];
}

/** Whether a rule that allows counts in this folder. Without a folder it counts in the directory only. */
export function coversPlace(
  { place }: CommandPattern,
  actual: string,
  directory: string | null,
): boolean {
  if (place === null) return actual === ".";
  if (actual.startsWith("/") && !place.startsWith("/")) return false;
  return !actual.split("/").includes("..") && pathGlob(normalPlace(place, { directory }))(actual);
}

/**
 * Whether a pattern that allows covers a command. Its program must be named; a wildcard covers no word
 * that makes the program run another one, write a file or work elsewhere: the rule has to name it.
 */
export function coversCommand(
  { words: patterns }: CommandPattern,
  words: readonly Word[],
): boolean {
  const [program = "*"] = patterns;
  if (program === "*") return false;
  const risky = riskyWords(words);
  const isCoverable = (place: number): boolean => {
    const word = words[place];
    if (word === undefined || word.kind === "open" || risky.has(place)) return false;
    return place > 0 || (word.kind === "literal" && !word.value.split("/").includes(".."));
  };
  return matchWords(patterns, {
    length: words.length,
    any: isCoverable,
    one: (pattern, place) => {
      const word = words[place];
      if (word?.kind !== "literal") return false;
      if (!hasWildcard(pattern)) return unescape(pattern) === word.value;
      return isCoverable(place) && textGlob(pattern)(word.value);
    },
  });
}

/** A command as rules that restrict look at it. */
export interface RestrictedCommand {
  /** The words before the first one that is not literal. */
  readonly known: readonly string[];
  readonly text: string;
  /** Any words may follow those that are known. */
  readonly isOpen: boolean;
}

export function restrictedCommand(words: readonly Word[]): RestrictedCommand {
  const open = words.findIndex(({ kind }) => kind !== "literal");
  const known = (open === -1 ? words : words.slice(0, open)).map(({ value }) => value);
  return { known, text: known.join(" "), isOpen: open !== -1 };
}

/** Whether a pattern that restricts fits a command: surely, perhaps, or not. */
export function fitsCommand(pattern: CommandPattern, command: RestrictedCommand): Fit {
  const { words: patterns, start, fitsText } = pattern;
  const { known, text, isOpen } = command;
  // Most commands differ from the pattern at once.
  if (!text.startsWith(start) && !(isOpen && start.startsWith(text))) return "no";
  const one = (word: string, place: number): boolean => textGlob(word)(known[place] ?? "");
  const target = { length: known.length, any: () => true, one };
  const isFit = matchWords(patterns, target) || fitsText(text);
  if (isFit && (!isOpen || patterns.at(-1) === "*")) return "yes";
  return isOpen ? "maybe" : "no";
}

export type Fit = "yes" | "maybe" | "no";

interface Target {
  readonly length: number;
  /** Whether `*` may stand for the word at this place. */
  readonly any: (place: number) => boolean;
  /** Whether the pattern of one word fits the word at this place. */
  readonly one: (pattern: string, place: number) => boolean;
}

/** Matches patterns and words one by one; `*` takes any number of words. Takes pattern times words. */
function matchWords(patterns: readonly string[], { length, any, one }: Target): boolean {
  let reached = new Set([0]);
  for (const pattern of patterns) {
    const next = new Set<number>();
    for (const start of reached) {
      if (pattern !== "*") {
        if (start < length && one(pattern, start)) next.add(start + 1);
        continue;
      }
      for (let place = start; !next.has(place); place += 1) {
        next.add(place);
        if (place >= length || !any(place)) break;
      }
    }
    reached = next;
  }
  return reached.has(length);
}

export function hasWildcard(pattern: string): boolean {
  return /[*?[]/.test(pattern.replaceAll(/\\./gs, ""));
}

export function unescape(pattern: string): string {
  return pattern.replaceAll(/\\(.)/gs, "$1");
}
