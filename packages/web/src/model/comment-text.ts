import { visibleLine } from "@holdfast/model/visible-text.ts";

/** A comment of the user on one line of a diff, which goes into the next prompt. */
export interface LineComment {
  readonly id: string;
  /** Path below the session's directory, or the whole path of another file. */
  readonly path: string;
  readonly line: number;
  /** `before`: a removed line, with its number in the old file. */
  readonly side: "before" | "after";
  /** Content of the line. */
  readonly quote: string;
  readonly text: string;
}

const longestQuote = 300;

/** Text of a prompt with the comments after it. `removed`: words that mark a line as missing in the new file. */
export function withComments(
  text: string,
  comments: readonly LineComment[],
  removed: string,
): string {
  const parts = comments.map(({ path, line, side, quote, text: words }) => {
    const place = `${visibleLine(path)}:${line}${side === "before" ? ` (${removed})` : ""}`;
    const shown = quote.length > longestQuote ? `${quote.slice(0, longestQuote)}…` : quote;
    return `${place}\n> ${visibleLine(shown)}\n${words}`;
  });
  return [text, ...parts].filter((part) => part !== "").join("\n\n");
}
