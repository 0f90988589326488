import type { TextRange } from "@holdfast/model/diff-words.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";

/** A piece of a line in one style. */
export interface LineSegment {
  readonly text: string;
  /** CSS class names; empty for plain text. */
  readonly look: string;
}

/** Splits a line at the boundaries of its highlighted tokens and of its changed words. */
export function lineSegments(
  text: string,
  tokens: readonly { readonly text: string; readonly look: string }[],
  changed: readonly TextRange[],
): readonly LineSegment[] {
  const isWhole = tokens.reduce((sum, token) => sum + token.text.length, 0) === text.length;
  const pieces = isWhole && tokens.length > 0 ? tokens : [{ text, look: "" }];
  const segments: LineSegment[] = [];
  let start = 0;
  for (const piece of pieces) {
    const end = start + piece.text.length;
    const cuts = changed.flat().filter((cut) => cut > start && cut < end);
    const borders = [start, ...cuts, end];
    for (const [place, from] of borders.slice(0, -1).entries()) {
      const to = borders[place + 1] ?? end;
      const isChanged = changed.some(([first, last]) => first <= from && to <= last);
      const look = [piece.look, isChanged ? "changed-word" : ""].filter((name) => name !== "");
      segments.push({ text: visibleText(text.slice(from, to)), look: look.join(" ") });
    }
    start = end;
  }
  return segments;
}
