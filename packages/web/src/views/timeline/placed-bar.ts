import type { PromptBar, Span } from "@holdfast/model/timeline.ts";

/** A prompt's bar with the session that the prompt belongs to. */
export interface PlacedBar extends PromptBar {
  readonly sessionId: string;
  readonly key: string;
}

/** One row of the chart, with its bars. */
export interface ChartRow {
  readonly key: string;
  readonly sessionId: string;
  readonly bars: readonly string[];
  readonly holds: readonly Span[];
  /** Whether this row is the first one of its session, which shows the session's title. */
  readonly isFirst: boolean;
  /** Number of parent sessions above. */
  readonly depth: number;
}

export function placeBar(sessionId: string, bar: PromptBar): PlacedBar {
  return { ...bar, sessionId, key: barKey(sessionId, bar.promptId) };
}

export function barKey(sessionId: string, promptId: string): string {
  return `${sessionId} ${promptId}`;
}
