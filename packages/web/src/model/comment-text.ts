import { visibleLine } from "@holdfast/model/visible-text.ts";

/** A comment of the user on one line of a diff. It is added to the next prompt. */
export interface LineComment {
  readonly id: string;
  /** Path relative to the session's directory, or the absolute path of a file outside of it. */
  readonly path: string;
  readonly line: number;
  /** `before`: the line was removed, and its number is that in the old file. */
  readonly side: "before" | "after";
  /** Text of the commented line. */
  readonly quote: string;
  readonly text: string;
}

const longestQuote = 300;

/**
 * Returns the text of a prompt, followed by the comments on lines of files. `removed`: the words that mark a comment on
 * a deleted line, in the user's language.
 */
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
