import { toPosition } from "./time-axis.ts";
import type { TimeAxis } from "./time-axis.ts";
import type { PromptBar, Span } from "./timeline.ts";

/** How many prompts ran and waited, at evenly spaced places of an axis. */
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
  const count = (spans: readonly (Span | null)[]): number[] => {
    const counts = Array.from({ length: places }, () => 0);
    for (const span of spans) {
      if (span === null) continue;
      const first = placeOf(span.from);
      // What ends in the middle of a place leaves it to what begins there.
      const last = Math.max(first + 1, placeOf(span.to ?? now));
      for (let place = first; place < last; place += 1) counts[place] = (counts[place] ?? 0) + 1;
    }
    return counts;
  };
  const placeOf = (time: number): number =>
    Math.min(places - 1, Math.floor((toPosition(axis, time) / axis.length) * places));
  const running = count(bars.map((bar) => (bar.joined === null ? bar.active : null)));
  const waiting = count(
    bars.map((bar) => (bar.waiting.to === bar.waiting.from ? null : bar.waiting)),
  );
  const highest = Math.max(1, ...running.map((each, place) => each + (waiting[place] ?? 0)));
  return { running, waiting, highest };
}
