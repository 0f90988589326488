import type { PromptBar, Span } from "../../model/timeline.ts";

/** A bar and the session that it is of. */
export interface PlacedBar extends PromptBar {
  readonly sessionId: string;
  readonly key: string;
}

/** One line of the picture, with the bars that lie in it. */
export interface ChartRow {
  readonly key: string;
  readonly sessionId: string;
  readonly bars: readonly string[];
  readonly holds: readonly Span[];
  /** The first line of a session says whose lines these are. */
  readonly isFirst: boolean;
  /** Zero, or how many parents are above. */
  readonly depth: number;
}

export function placeBar(sessionId: string, bar: PromptBar): PlacedBar {
  return { ...bar, sessionId, key: barKey(sessionId, bar.promptId) };
}

export function barKey(sessionId: string, promptId: string): string {
  return `${sessionId} ${promptId}`;
}
