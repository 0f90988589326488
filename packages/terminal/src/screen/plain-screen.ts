import type { Output } from "./screen.ts";
import { guarded, visibleWidth } from "./text.ts";

/** The line of the draft that contains the cursor. */
export interface InputLine {
  readonly text: string;
  /** Position of the cursor in the text. */
  readonly at: number;
  /** Number of this line in the text that the user is typing. */
  readonly line: number;
}

/** Current texts of the client, by topic. A text is printed when it differs from the last printed text of its topic. */
export type Announcements = ReadonlyMap<string, string>;

const emptyInput: InputLine = { text: "", at: 0, line: 0 };

/**
 * The screen for people who use a screen reader. It prints lines one after another and never moves the cursor back to
 * earlier lines. Only the last line changes: it shows the characters that the user types.
 */
export class PlainScreen {
  readonly #output: Output;
  #pending: string[] = [];
  #said: Announcements = new Map();
  #input: InputLine = emptyInput;

  constructor(output: Output) {
    this.#output = output;
  }

  get columns(): number {
    return Math.max(1, this.#output.columns);
  }

  get rows(): number {
    return Math.max(1, this.#output.rows);
  }

  get safeRows(): number {
    return this.rows;
  }

  /** Adds lines. They appear with the next paint. */
  print(lines: readonly string[]): void {
    this.#pending.push(...lines);
  }

  announce(news: Announcements, input: InputLine): void {
    const said = this.#said;
    const changed = [...news].filter(([topic, text]) => text !== "" && said.get(topic) !== text);
    this.#said = news;
    const lines = [...this.#pending, ...changed.flatMap(([, text]) => text.split("\n"))]
      .map(spoken)
      .filter((line) => line !== "");
    this.#pending = [];
    if (lines.length === 0) return this.#echo(this.#shortened(input));
    const before = this.#input.text === "" ? "" : "\r\u001b[K";
    this.#output.write(`${before}${lines.map((line) => `${line}\r\n`).join("")}`);
    this.#input = emptyInput;
    return this.#echo(this.#shortened(input));
  }

  /** Prints all announcements again with the next paint. */
  repaint(): void {
    this.#said = new Map();
  }

  /** Prints the pending lines, and removes the draft from the last line of the terminal. */
  clear(): void {
    this.announce(this.#said, emptyInput);
  }

  /** Returns a part of a long line that fits into the last line of the terminal. */
  #shortened({ text, at, line }: InputLine): InputLine {
    const room = this.columns - 2;
    const start = visibleWidth(text.slice(0, at)) < room ? 0 : at - Math.floor(room / 2);
    let shown = guarded(text.slice(start, start + 4 * room));
    while (visibleWidth(shown) > room) shown = shown.replace(/.$/su, "");
    return { text: shown, at: at - start, line };
  }

  /** Shows the draft. Writes only the typed character if possible, because screen readers speak new text. */
  #echo(next: InputLine): void {
    const shown = this.#input;
    this.#input = next;
    const isEndBefore = shown.at === shown.text.length;
    const isEnd = next.at === next.text.length;
    if (next.line === shown.line && next.text === shown.text) {
      return this.#write(move(widthTo(next) - widthTo(shown)));
    }
    if (next.line > shown.line && shown.text !== "") return this.#write(`\r\n${next.text}`);
    if (next.line === shown.line && isEnd && isEndBefore && next.text.startsWith(shown.text)) {
      return this.#write(next.text.slice(shown.text.length));
    }
    const back = move(widthTo(next) - visibleWidth(next.text));
    return this.#write(`${shown.text === "" ? "" : "\r\u001b[K"}${next.text}${back}`);
  }

  #write(text: string): void {
    if (text !== "") this.#output.write(text);
  }
}

function widthTo({ text, at }: InputLine): number {
  return visibleWidth(text.slice(0, at));
}

function move(columns: number): string {
  if (columns === 0) return "";
  return columns < 0 ? `\u001b[${-columns}D` : `\u001b[${columns}C`;
}

// oxlint-disable-next-line no-control-regex -- styles begin with a control character
const style = /\u001b\[[0-9;:]*m/g;

/** Symbols that the client prints at the start of a line, and the words that a screen reader should say instead. */
const signs: readonly (readonly [sign: RegExp, words: string])[] = [
  [/^❯ ?/, "You: "],
  [/^[●○] /, "Agent: "],
  [/^■ /, "Note: "],
  [/^\? /, "Question: "],
  [/^[◆✻✶] /, ""],
  [/^ *☑ /, "  Done: "],
  [/^ *▶ /, "  Now: "],
  [/^ *☐ /, "  Open: "],
  [/^─+$/, ""],
];

/** Returns a line without styles and drawn symbols. */
export function spoken(line: string): string {
  const plain = guarded(line).replaceAll(style, "").trimEnd();
  const words = signs.reduce((text, [sign, word]) => text.replace(sign, word), plain);
  return words.replaceAll(" · ", ", ");
}
