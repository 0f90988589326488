import {
  truncateToWidth,
  visibleWidth as measuredWidth,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui/dist/utils.js";
import { visibleText } from "@holdfast/model/visible-text.ts";

/** Maximum length of a source line. Longer lines are cut: wrapping a line of a megabyte would block the screen. */
const longestLine = 8_000;

/**
 * Makes text safe to print: text from models, files and commands must not move the cursor, hide
 * text or change its direction. Line breaks stay, tabs become spaces.
 */
export function printable(text: string): string {
  return visibleText(text)
    .replaceAll("\r", "⟨U+000D⟩")
    .replaceAll(/[\u0085\u2028\u2029]/g, "\n")
    .replaceAll("\t", "    ");
}

/** Returns the start of a text on one line, safe to print. */
export function oneLine(text: string): string {
  return printable(text.slice(0, 2_000)).replaceAll(/\s+/g, " ").trim();
}

// oxlint-disable-next-line no-control-regex -- colours begin with a control character
const colour = /\u001b\[([0-9;:]*)m/g;
const sequence =
  // oxlint-disable-next-line no-control-regex -- as above
  /\u001b(?:\[[0-9;:?<=>!]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

/**
 * Makes command output safe to print and keeps its colours. Sequences that move the cursor, set
 * titles or make links are removed. A line rewritten with \r shows its last version.
 */
export function coloured(output: string): string {
  const text = output.replaceAll("\r\n", "\n").replaceAll(/[^\n]*\r(?!$)/gm, "");
  let result = "";
  let end = 0;
  let isStyled = false;
  for (const match of text.matchAll(sequence)) {
    result += printable(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[0].replace(colour, "") === "" && match[0].length < 40) {
      result += match[0];
      isStyled = true;
    }
  }
  result += printable(text.slice(end));
  return isStyled ? `${result}\u001b[0m` : result;
}

/** Returns command output without colours. */
export function colourless(output: string): string {
  return coloured(output).replaceAll(colour, "");
}

const unsafe =
  // oxlint-disable-next-line no-control-regex -- as above
  /\u001b(?!\[[0-9;:]*m)|[\0-\u001a\u001c-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * The last check before a row is written: removes all control sequences except styles. Text is already made printable
 * where it is rendered; this check is a safety net.
 */
export function guarded(row: string): string {
  return row.replaceAll(unsafe, "�");
}

/** Wraps text at words. Styles continue on the next row. */
export function wrap(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => {
    const short = line.length > longestLine ? `${line.slice(0, longestLine)}… (line cut)` : line;
    return wrapTextWithAnsi(short, Math.max(1, columns));
  });
}

/** Wraps text without styles at words. Unlike `wrap`, shows all of a very long line. */
export function wrapWhole(text: string, columns: number): string[] {
  return text
    .split("\n")
    .flatMap((line) => line.match(longPart) ?? [""])
    .flatMap((part) => wrapTextWithAnsi(part, Math.max(1, columns)));
}

const longPart = new RegExp(`.{1,${longestLine}}`, "gsu");

/** Cuts text to a number of columns. */
export function fit(text: string, columns: number): string {
  return visibleWidth(text) <= columns ? text : truncateToWidth(text, Math.max(1, columns), "…");
}

/** Puts one text at the left edge and one at the right. The left one is cut if both do not fit. */
export function justify(left: string, right: string, columns: number): string {
  const rest = columns - visibleWidth(right) - 1;
  if (rest < 8) return fit(left, columns);
  const cut = fit(left, rest);
  return `${cut}${" ".repeat(columns - visibleWidth(cut) - visibleWidth(right))}${right}`;
}

export function indent(lines: readonly string[], prefix: string): string[] {
  return lines.map((line) => (line === "" ? "" : prefix + line));
}

/** Symbols of the client that are one column wide. */
export const narrowSigns = "·…−─■□●○◆❯✻✶✷✸✹✺☑☐▶░█▏└↑↓→";

const narrow = new RegExp(`^(?:[ -~${narrowSigns}]|\\u001b\\[[0-9;:]*m)*$`);

/**
 * Returns the number of columns that a text needs. ASCII characters and the client's own symbols are counted directly:
 * to measure other characters, V8 compiles a table of all emoji, which takes 15 ms of the client's start.
 */
export function visibleWidth(text: string): number {
  return narrow.test(text) ? text.replaceAll(colour, "").length : measuredWidth(text);
}
