import { pathGlob, textGlob } from "../tools/glob-pattern.ts";
import { riskyWords } from "./known-command.ts";
import type { Word } from "./shell/command-line.ts";
import { normalPlace } from "./shell/explain.ts";

/** The parsed pattern of a permission rule for commands. */
export interface CommandPattern {
  /** The folder in a pattern of the form `cd FOLDER && …`. Null if there is none. */
  readonly place: string | null;
  /** One pattern per word of the command. `*` alone matches any number of words. */
  readonly words: readonly string[];
  /** The text with which every matching command starts. */
  readonly start: string;
  /** True if the pattern matches a whole text, where `*` matches any text. */
  readonly fitsText: (text: string) => boolean;
}

export function readPattern(pattern: string): CommandPattern {
  const all = splitWords(pattern);
  const [first, folder = "", operator] = all;
  const hasFolder = first === "cd" && operator === "&&" && all.length > 3;
  const words = hasFolder ? all.slice(3) : all;
  const start = startOf(words.join(" "));
  return { place: hasFolder ? folder : null, words, start, fitsText: textFit(pattern) };
}

/**
 * Returns the characters before the first wildcard. If this wildcard is a `*` at the end, also removes the space before
 * it: `git *` gives `git`.
 */
function startOf(pattern: string): string {
  const [start = ""] = /^(?:\\.|[^\\*?[])*/s.exec(pattern) ?? [];
  return unescape(pattern === `${start}*` ? start.replace(/ $/, "") : start);
}

/** Compiles a pattern so that `git status *` matches with and without further words. */
function textFit(pattern: string): (text: string) => boolean {
  const start = startOf(pattern);
  const fits = textGlob(pattern);
  const alone = pattern.endsWith(" *") ? textGlob(pattern.slice(0, -2)) : fits;
  return (text) => text.startsWith(start) && (fits(text) || alone(text));
}

/** Splits at spaces that are not escaped. */
function splitWords(pattern: string): readonly string[] {
  return pattern.match(/(?:\\.|[^\\ ])+/gs) ?? [];
}

/**
 * True if an allow rule applies in this folder. A rule without a folder applies only in the session's own directory.
 */
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
 * True if an allow pattern covers a command. The pattern must contain the program's name. A word is risky if it makes
 * the program run another program, write a file or work in another directory. Wildcards do not match risky words: the
 * pattern covers a command with a risky word only if it contains the same word.
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

/** A command, prepared for matching against ask and deny rules. */
export interface RestrictedCommand {
  /** The words before the first word that is not literal. */
  readonly known: readonly string[];
  readonly text: string;
  /** True if the command continues after `known` with a word whose value is unknown, such as `$file`. */
  readonly isOpen: boolean;
}

export function restrictedCommand(words: readonly Word[]): RestrictedCommand {
  const open = words.findIndex(({ kind }) => kind !== "literal");
  const known = (open === -1 ? words : words.slice(0, open)).map(({ value }) => value);
  return { known, text: known.join(" "), isOpen: open !== -1 };
}

/** Matches the pattern of an ask or deny rule against a command. */
export function fitsCommand(pattern: CommandPattern, command: RestrictedCommand): Fit {
  const { words: patterns, start, fitsText } = pattern;
  const { known, text, isOpen } = command;
  // Quick check: most commands differ from the pattern at the start.
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
  /** True if `*` may match the word at this position. */
  readonly any: (place: number) => boolean;
  /** True if the pattern of a single word matches the word at this position. */
  readonly one: (pattern: string, place: number) => boolean;
}

/** Matches patterns against words in order. `*` matches any number of words. Takes at most patterns × words steps. */
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
