export type Matcher = (text: string) => boolean;

/**
 * Compiles a glob for paths: `*` and `?` match within a name, `**` matches any number of folders; `[a-z]`, `[!a]` and
 * `{a,b}` are supported, and a backslash escapes the next character. Matching takes at most pattern length × text
 * length steps, so no pattern can hang the process.
 */
export function pathGlob(pattern: string): Matcher {
  const alternatives = expandBraces(pattern).map((alternative) =>
    alternative.split("/").map((segment) => (segment === "**" ? "**" : tokens(segment))),
  );
  return (path) => {
    const names = path.split("/").map((name) => Array.from(name));
    return alternatives.some((segments) => matchSequence(segments, names, matchName));
  };
}

/** Compiles a glob for plain text: `*` matches any text. */
export function textGlob(pattern: string): Matcher {
  const wanted = tokens(pattern);
  return (text) => matchName(wanted, Array.from(text));
}

/** Escapes a text, so that the resulting pattern matches exactly this text. */
export function escapeGlob(text: string): string {
  return text.replaceAll(/[\\*?[\]{}]/g, "\\$&");
}

/** A character, any single character, a character class, or "**" for any number of characters. */
type Token = string | { readonly any: true } | CharacterClass;
interface CharacterClass {
  readonly ranges: readonly (readonly [string, string])[];
  readonly negated: boolean;
}

const maxAlternatives = 256;

function matchName(wanted: readonly Token[], characters: readonly string[]): boolean {
  return matchSequence(wanted, characters, matchCharacter);
}

/**
 * Matches items in order; "**" matches any number of items. On a mismatch, only the last "**" is extended by one item,
 * because extending an earlier one cannot help.
 */
function matchSequence<Pattern, Item>(
  patterns: readonly (Pattern | "**")[],
  items: readonly Item[],
  matches: (pattern: Pattern, item: Item) => boolean,
): boolean {
  let pattern = 0;
  let item = 0;
  let star = -1;
  let taken = 0;
  while (item < items.length) {
    const current = patterns[pattern];
    const next = items[item];
    if (pattern < patterns.length && current === "**") {
      star = pattern;
      taken = item;
      pattern += 1;
    } else if (
      pattern < patterns.length &&
      current !== undefined &&
      current !== "**" &&
      next !== undefined &&
      matches(current, next)
    ) {
      pattern += 1;
      item += 1;
    } else if (star !== -1) {
      taken += 1;
      item = taken;
      pattern = star + 1;
    } else {
      return false;
    }
  }
  return patterns.slice(pattern).every((rest) => rest === "**");
}

function matchCharacter(token: Token, character: string): boolean {
  if (typeof token === "string") return token === character;
  if ("any" in token) return true;
  const inside = token.ranges.some(([from, to]) => character >= from && character <= to);
  return inside !== token.negated;
}

function tokens(pattern: string): Token[] {
  const characters = Array.from(pattern);
  const found: Token[] = [];
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? "";
    if (character === "\\" && index + 1 < characters.length) {
      index += 1;
      found.push(characters[index] ?? "");
    } else if (character === "*") {
      found.push("**");
    } else if (character === "?") {
      found.push({ any: true });
    } else if (character === "[") {
      const parsed = characterClass(characters, index);
      found.push(parsed?.token ?? "[");
      index = parsed?.end ?? index;
    } else {
      found.push(character);
    }
  }
  return found;
}

/**
 * Parses a character class, beginning at its opening bracket. Returns null if there is no closing bracket: then the
 * opening bracket is an ordinary character.
 */
function characterClass(
  characters: readonly string[],
  start: number,
): { token: CharacterClass; end: number } | null {
  let index = start + 1;
  const negated = characters[index] === "!" || characters[index] === "^";
  if (negated) index += 1;
  const ranges: [string, string][] = [];
  for (let first = true; index < characters.length; first = false) {
    if (characters[index] === "]" && !first) return { token: { ranges, negated }, end: index };
    if (characters[index] === "\\") index += 1;
    const from = characters[index] ?? "";
    const isRange = characters[index + 1] === "-" && (characters[index + 2] ?? "]") !== "]";
    ranges.push([from, isRange ? (characters[index + 2] ?? from) : from]);
    index += isRange ? 3 : 1;
  }
  return null;
}

function expandBraces(pattern: string): string[] {
  const expanded: string[] = [];
  const waiting = [pattern];
  while (waiting.length > 0 && expanded.length + waiting.length <= maxAlternatives) {
    const next = waiting.pop() ?? "";
    const group = firstGroup(next);
    if (group === null) expanded.push(next);
    else waiting.push(...group);
  }
  return [...expanded, ...waiting];
}

/** Expands the first `{...}` to its alternatives, each with the text around it. Null if there is none. */
function firstGroup(pattern: string): string[] | null {
  let open = -1;
  let depth = 0;
  let commas: number[] = [];
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index];
    if (character === "\\") {
      index += 1;
    } else if (character === "{") {
      depth += 1;
      if (depth === 1) [open, commas] = [index, []];
    } else if (character === "," && depth === 1) {
      commas.push(index);
    } else if (character === "}" && depth > 0) {
      depth -= 1;
      if (depth > 0 || commas.length === 0) continue;
      const cuts = [open, ...commas, index];
      const before = pattern.slice(0, open);
      const after = pattern.slice(index + 1);
      return cuts
        .slice(1)
        .map((cut, at) => before + pattern.slice((cuts[at] ?? 0) + 1, cut) + after);
    }
  }
  return null;
}
