/** A part of an answer that is complete and can be printed. */
export type Piece =
  | { readonly kind: "text"; readonly source: string }
  | {
      readonly kind: "code";
      readonly language: string;
      readonly lines: readonly string[];
      /** True if a code block starts with these lines; false if they continue the code block of an earlier part. */
      readonly isStart: boolean;
    };

/** Splits a growing markdown text into parts that later text cannot change. */
export interface MarkdownStream {
  /** Takes the whole text so far. Returns the parts that have become complete. */
  take(text: string, isDone: boolean): readonly Piece[];
  /** Number of characters of the text that `take` has already returned in complete parts. */
  readonly offset: number;
  /** Language of the code block that contains the text after `offset`; null: this text is not in a code block. */
  readonly language: string | null;
}

interface Fence {
  readonly mark: string;
  readonly language: string;
}

/**
 * Creates a stream that splits markdown text into parts. A part ends at a blank line, unless the next line is indented
 * and so belongs to the same list item. In a code block, which can be long, each line is returned as soon as it is
 * complete.
 */
export function createMarkdownStream(): MarkdownStream {
  let offset = 0;
  let fence: Fence | null = null;
  const take = (text: string, isDone: boolean): readonly Piece[] => {
    const pieces: Piece[] = [];
    let scan = offset;
    for (;;) {
      const line = lineAt(text, scan, isDone);
      if (line === null) break;
      const opened = fence === null ? openingFence(line.text) : null;
      if (fence !== null) {
        if (isClosing(line.text, fence)) fence = null;
        else pushCode(pieces, fence.language, line.text);
        offset = line.next;
      } else if (opened !== null) {
        pushText(pieces, text.slice(offset, scan));
        fence = opened;
        offset = line.next;
        pieces.push({ kind: "code", language: fence.language, lines: [], isStart: true });
      } else if (line.text.trim() === "" && isBlockEnd(text, line.next, isDone)) {
        pushText(pieces, text.slice(offset, line.next));
        offset = line.next;
      }
      scan = line.next;
    }
    if (isDone && fence === null) {
      pushText(pieces, text.slice(offset));
      offset = text.length;
    }
    return pieces;
  };
  return {
    take,
    get offset() {
      return offset;
    },
    get language() {
      return fence?.language ?? null;
    },
  };
}

/** Returns the next complete line. If the text is done, the last line is complete even without a line break. */
function lineAt(
  text: string,
  from: number,
  isDone: boolean,
): { readonly text: string; readonly next: number } | null {
  const end = text.indexOf("\n", from);
  if (end !== -1) return { text: text.slice(from, end), next: end + 1 };
  return isDone && from < text.length ? { text: text.slice(from), next: text.length } : null;
}

function isBlockEnd(text: string, next: number, isDone: boolean): boolean {
  const following = text[next];
  return following === undefined ? isDone : !/\s/.test(following);
}

function openingFence(line: string): Fence | null {
  const match = /^ {0,3}(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/.exec(line);
  return match === null ? null : { mark: match[1] ?? "", language: match[2] ?? "" };
}

function isClosing(line: string, { mark }: Fence): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
  return found !== undefined && found[0] === mark[0] && found.length >= mark.length;
}

function pushText(pieces: Piece[], source: string): void {
  if (source.trim() !== "") pieces.push({ kind: "text", source });
}

/** Adds a line to the code block that the last piece began, or continues the block in a new piece. */
function pushCode(pieces: Piece[], language: string, line: string): void {
  const last = pieces.at(-1);
  if (last?.kind !== "code") {
    pieces.push({ kind: "code", language, lines: [line], isStart: false });
    return;
  }
  pieces[pieces.length - 1] = { ...last, lines: [...last.lines, line] };
}
