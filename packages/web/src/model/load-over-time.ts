import { toPosition } from "./time-axis.ts";
import type { TimeAxis } from "./time-axis.ts";
import type { PromptBar, Span } from "@holdfast/model/timeline.ts";

/** Number of running prompts and number of waiting prompts, each at evenly spaced positions of a time axis. */
export interface Load {
  readonly running: readonly number[];
  readonly waiting: readonly number[];
  readonly highest: number;
}

export function loadOverTime(
  bars: readonly PromptBar[],
  axis: TimeAxis,
  options: { readonly places: number; readonly now: number },
): Load {
  const { places, now } = options;
  const placeOf = (time: number): number =>
    Math.min(places - 1, Math.floor((toPosition(axis, time) / axis.length) * places));
  /**
   * Returns the number of spans at each position. A span covers the positions from its start up to its end, without the
   * position of the end itself. A short span covers at least `least` positions.
   */
  const count = (spans: readonly Span[], least: number): number[] => {
    const counts = Array.from({ length: places }, () => 0);
    for (const span of spans) {
      const first = placeOf(span.from);
      const last = Math.max(first + least, placeOf(span.to ?? now));
      for (let place = first; place < last; place += 1) counts[place] = (counts[place] ?? 0) + 1;
    }
    return counts;
  };
  const active = bars.flatMap((bar) => (bar.joined === null ? (bar.active ?? []) : []));
  const running = count(active, 1);
  // Leave out waits that are too short to be visible.
  const waiting = count(
    bars.map((bar) => bar.waiting),
    0,
  );
  const highest = Math.max(1, ...running.map((each, place) => each + (waiting[place] ?? 0)));
  return { running, waiting, highest };
}
