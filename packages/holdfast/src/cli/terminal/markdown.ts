import { createLine, createStyledText, styles } from "./markdown-line.ts";
import { printable } from "./printable.ts";

/** Converts text for a terminal, in chunks that may be cut anywhere. */
export interface TextStream {
  /** Takes the next piece of the text. Returns the converted text that can be written to the terminal now. */
  take(piece: string): string;
  /** Returns output that was held back, and ends the line. A code block continues on the next line. */
  flush(): string;
}

/**
 * Highlights Markdown. Apart from the colours the output equals the text, so a misread marker does no harm, and copied
 * text is unchanged. Only markers whose meaning depends on the next character are held back.
 */
export function createMarkdown(): TextStream {
  const letters = createLetters();
  const output = createStyledText();
  const line = createLine(output);
  let fence: Fence | null = null;
  let opening: Fence | null = null;
  let isStart = true;
  let isRaw = false;
  let held = "";

  const endLine = (): void => {
    output.put("\n", []);
    line.clear();
    fence ??= opening;
    opening = null;
    isStart = true;
    isRaw = false;
    held = "";
  };
  /** Handles the character after a possible block marker such as `#`. A space, for example, makes `#` a heading. */
  const begin = (letter: string): void => {
    const [, indent = "", marker = ""] = /^([ \t]*)(.*)$/s.exec(held) ?? [];
    const isEnd = letter === "\n";
    const isApart = isEnd || isBlank(letter);
    const before = held;
    held = "";
    isStart = false;
    if (/^#{1,6}$/.test(marker) && isApart) {
      line.base = marker === "#" ? [styles.bold, styles.underline] : [styles.bold];
      output.put(before, line.base);
    } else if (/^(?:[-+*]|\d+[.)])$/.test(marker) && isApart && !isEnd) {
      output.put(indent, []);
      output.put(marker, [styles.bullet]);
      isStart = true;
    } else if (marker === ">" && (isApart || letter === ">")) {
      output.put(before, [styles.dim]);
      line.base = [styles.italic];
      isStart = true;
    } else if (/^([-*_])\1{2,}[ \t]*$/.test(marker) && isEnd) {
      output.put(before, [styles.dim]);
    } else if (/^(?:`{3,}|~{3,})$/.test(marker)) {
      opening = { letter: marker.charAt(0), length: marker.length };
      output.put(before, [styles.dim]);
    } else if (marker === "" && letter === "|") {
      isRaw = true;
      output.put(before, line.base);
    } else for (const each of before) line.take(each);
    step(letter);
  };
  const beginInFence = (letter: string, { letter: mark, length }: Fence): void => {
    const isMark = held.trim().length >= length && /^[ \t]*(\S)\1*[ \t]*$/.test(held);
    const isClosing = isMark && held.trim().startsWith(mark) && letter === "\n";
    output.put(held, isClosing ? [styles.dim] : []);
    if (isClosing) fence = null;
    held = "";
    isStart = false;
    isRaw = true;
    step(letter);
  };
  const step = (letter: string): void => {
    if (isStart && fence !== null) {
      if (isBlank(letter) || letter === fence.letter) held += letter;
      else beginInFence(letter, fence);
    } else if (isStart && maybeMarker.test(held + letter)) held += letter;
    else if (isStart && (held !== "" || letter === "|")) begin(letter);
    else if (letter === "\n") {
      if (opening === null && !isRaw) line.end();
      endLine();
    } else if (isRaw) output.put(letter, []);
    else if (opening !== null) {
      // The backticks are inline code on one line, such as ```this```, and start no code block.
      if (letter === "`" && opening.letter === "`") opening = null;
      output.put(letter, [styles.dim]);
    } else {
      isStart = false;
      line.take(letter);
    }
  };
  return {
    take: (piece) => {
      for (const letter of printable(letters.take(piece))) step(letter);
      return output.written();
    },
    flush: () => {
      for (const letter of printable(letters.flush())) step(letter);
      step("\n");
      return output.written().slice(0, -1);
    },
  };
}

/** Holds back an incomplete character or line end until the rest arrives. */
export function createLetters(): TextStream {
  let held = "";
  return {
    take: (piece) => {
      const text = held + piece;
      held = /[\r\uD800-\uDBFF]$/.exec(text)?.[0] ?? "";
      return held === "" ? text : text.slice(0, -1);
    },
    flush: () => {
      const rest = held;
      held = "";
      return rest;
    },
  };
}

interface Fence {
  readonly letter: string;
  readonly length: number;
}

/** The start of a line that is, or may become, a block marker. */
const maybeMarker = /^[ \t]*(?:#{1,6}|[-+*_>]|\d{1,9}[.)]?|([-*_])\1+[ \t]*|`+|~+)?$/;

function isBlank(letter: string): boolean {
  return letter === " " || letter === "\t";
}
