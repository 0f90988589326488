/** Characters that take two columns: CJK, full-width forms and emoji. */
const wide =
  /^(?:[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{1B000}-\u{1B2FF}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)/u;
const invisible = /^[\p{M}\u200B-\u200D\uFEFF]+$/u;

let segments: Intl.Segmenter | null = null;

/** Splits a text into visible characters: a letter with its accents, or an emoji with its parts, is one character. */
function charactersOf(text: string): readonly string[] {
  segments ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return Array.from(segments.segment(text), ({ segment }) => segment);
}

function widthOfCharacter(character: string): number {
  if (wide.test(character)) return 2;
  return invisible.test(character) ? 0 : 1;
}

const isPlain = /^[\u0020-\u007E]*$/;

/** Returns the number of terminal columns of a text without control characters. */
export function widthOf(text: string): number {
  if (isPlain.test(text)) return text.length;
  return charactersOf(text).reduce((sum, character) => sum + widthOfCharacter(character), 0);
}

/** Returns the longest start of a text that fits into a number of columns. */
function startOf(characters: readonly string[], columns: number): string {
  let text = "";
  let left = columns;
  for (const character of characters) {
    left -= widthOfCharacter(character);
    if (left < 0) break;
    text += character;
  }
  return text;
}

function endOf(characters: readonly string[], columns: number): string {
  let [at, left] = [characters.length, columns];
  while (at > 0) {
    left -= widthOfCharacter(characters[at - 1] ?? "");
    if (left < 0) break;
    at -= 1;
  }
  return characters.slice(at).join("");
}

/** Shortens a text to a number of columns, at its end or in its middle. */
export function cutTo(text: string, columns: number, place: "end" | "middle" = "end"): string {
  if (widthOf(text) <= columns) return text;
  if (columns < 1) return "";
  const characters = charactersOf(text);
  const tail = place === "middle" ? endOf(characters, Math.floor((columns - 1) / 2)) : "";
  return `${startOf(characters, columns - 1 - widthOf(tail))}…${tail}`;
}

/** Adds spaces up to a number of columns. */
export function padTo(text: string, columns: number, align: "left" | "right" = "left"): string {
  const spaces = " ".repeat(Math.max(0, columns - widthOf(text)));
  return align === "right" ? spaces + text : text + spaces;
}

/**
 * Returns the number of columns of stdout. Output to a file, a program or a terminal that does not know its size has no
 * limit, unless COLUMNS is set.
 */
export function outputWidth(): number {
  const columns = process.stdout.columns ?? 0;
  const given = Number(process.env["COLUMNS"]);
  if (columns > 0) return columns;
  return Number.isInteger(given) && given > 0 ? given : Infinity;
}
