import { visibleText } from "@holdfast/model/visible-text.ts";

/** A piece of command output in one style. */
export interface AnsiSpan {
  readonly text: string;
  /** CSS class names, such as `ansi-red ansi-bold`; empty for plain text. */
  readonly look: string;
}

// oxlint-disable-next-line no-control-regex -- escape sequences begin with one
const sequence = /\u001b(?:\[([0-9;:?]*)([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

const colors = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** Removes all escape sequences. */
export function withoutAnsi(output: string): string {
  return output.replace(sequence, "");
}

/**
 * Converts terminal output to styled text. Keeps colors only: sequences that move the cursor, set
 * titles or make links are removed. A line rewritten with \r shows its last version.
 * `before` is the output before this part, whose colors still apply.
 */
export function ansiSpans(output: string, before = ""): readonly AnsiSpan[] {
  const text = output.replaceAll("\r\n", "\n").replace(/[^\n]*\r(?!$)/gm, "");
  const spans: AnsiSpan[] = [];
  let look: Look = plain;
  for (const match of before.matchAll(sequence)) {
    if (match[2] === "m") look = changed(look, match[1] ?? "");
  }
  let begin = 0;
  const push = (end: number): void => {
    if (end > begin) spans.push({ text: visibleText(text.slice(begin, end)), look: nameOf(look) });
  };
  for (const match of text.matchAll(sequence)) {
    push(match.index);
    begin = match.index + match[0].length;
    if (match[2] === "m") look = changed(look, match[1] ?? "");
  }
  push(text.length);
  return spans;
}

interface Look {
  readonly color: string | null;
  readonly bold: boolean;
  readonly dim: boolean;
}

const plain: Look = { color: null, bold: false, dim: false };

function changed(before: Look, parameters: string): Look {
  let look = before;
  const codes = parameters.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) look = plain;
    else if (code === 1) look = { ...look, bold: true };
    else if (code === 2) look = { ...look, dim: true };
    else if (code === 22) look = { ...look, bold: false, dim: false };
    else if (code === 39) look = { ...look, color: null };
    else if (code >= 30 && code <= 37) look = { ...look, color: colors[code - 30] ?? null };
    else if (code >= 90 && code <= 97) look = { ...look, color: colors[code - 90] ?? null };
    // 38 and 48 start an extended color: skip its parameters.
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4;
  }
  return look;
}

function nameOf({ color, bold, dim }: Look): string {
  const names = [];
  if (color !== null) names.push(`ansi-${color}`);
  if (bold) names.push("ansi-bold");
  if (dim) names.push("ansi-dim");
  return names.join(" ");
}
