import type { ShareKind } from "./breakdown.ts";
import type { PromptBar, Span } from "./timeline.ts";

/** A segment of the activity strip: one kind of activity, with its start and end as shares of the shown time. */
export interface StripPart {
  readonly kind: ShareKind;
  /** Start of the segment within the time range that the strip shows: 0 is the start of the range, 1 is its end. */
  readonly from: number;
  readonly to: number;
}

export interface RecentActivity {
  /** Parts from the oldest to the newest, without overlaps. There are gaps where the session was idle. */
  readonly parts: readonly StripPart[];
  /** Milliseconds spent on each kind of activity, the most important kind first. */
  readonly times: readonly { readonly kind: ShareKind; readonly time: number }[];
}

/**
 * Kinds of activity, the most important first. If several activities overlap, the first of them in this list is shown.
 */
const kinds = [
  "asking",
  "cutOff",
  "stopping",
  "tool",
  "model",
  "other",
  "held",
  "waiting",
] as const satisfies readonly ShareKind[];

/** Each part of the timeline shows one kind of activity: the longest one, unless one of these kinds occurred. */
const noticed: ReadonlySet<ShareKind> = new Set(["asking", "cutOff", "stopping"]);

interface Activity {
  readonly kind: ShareKind;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the activity of a session from `since` to `now` in at most `cells` parts, no matter how many prompts and
 * calls there were. A part shows its longest activity. A question to people, an interruption or a stop is shown even if
 * it was short.
 */
export function recentActivity(
  bars: readonly PromptBar[],
  shown: { readonly since: number; readonly now: number; readonly cells: number },
): RecentActivity {
  const activities = inOneLine(clippedActivities(bars, shown));
  const times = kinds
    .map((kind) => ({ kind, time: timeOf(activities, kind) }))
    .filter(({ time }) => time > 0);
  return { parts: inCells(activities, shown), times };
}

function timeOf(activities: readonly Activity[], kind: ShareKind): number {
  return activities.reduce((sum, each) => sum + (each.kind === kind ? each.to - each.from : 0), 0);
}

function clippedActivities(
  bars: readonly PromptBar[],
  { since, now }: { since: number; now: number },
): readonly Activity[] {
  const found: Activity[] = [];
  const add = (kind: ShareKind, span: Span): void => {
    const from = Math.max(span.from, since);
    const to = Math.min(span.to ?? now, now);
    if (to > from) found.push({ kind, from, to });
  };
  for (const bar of bars) {
    if (bar.to !== null && bar.to <= since) continue;
    add("waiting", bar.waiting);
    for (const span of bar.held) add("held", span);
    if (bar.active !== null) add("other", bar.active);
    for (const segment of bar.segments) add(segment.kind, segment);
  }
  return found;
}

/** Removes overlaps: where activities overlap, only the most important one stays. */
function inOneLine(activities: readonly Activity[]): readonly Activity[] {
  const changes = activities
    .flatMap(({ kind, from, to }) => [
      { kind, at: from, by: 1 },
      { kind, at: to, by: -1 },
    ])
    .toSorted((one, other) => one.at - other.at);
  const open = new Map<ShareKind, number>();
  const line: Activity[] = [];
  let last = 0;
  for (const { kind, at, by } of changes) {
    const current = kinds.find((each) => (open.get(each) ?? 0) > 0);
    if (current !== undefined && at > last) line.push({ kind: current, from: last, to: at });
    open.set(kind, (open.get(kind) ?? 0) + by);
    last = at;
  }
  return line;
}

function inCells(
  line: readonly Activity[],
  { since, now, cells }: { since: number; now: number; cells: number },
): readonly StripPart[] {
  const length = Math.max(1, now - since) / cells;
  const times = Array.from({ length: cells }, () => new Map<ShareKind, number>());
  for (const { kind, from, to } of line) {
    for (let cell = Math.floor((from - since) / length); cell < cells; cell += 1) {
      const begin = since + cell * length;
      if (begin >= to) break;
      const time = Math.min(to, begin + length) - Math.max(from, begin);
      const known = times[cell];
      known?.set(kind, (known.get(kind) ?? 0) + time);
    }
  }
  const parts: StripPart[] = [];
  for (const [cell, found] of times.entries()) {
    const kind = mainKind(found);
    if (kind === undefined) continue;
    const before = parts.at(-1);
    const from = cell / cells;
    const to = (cell + 1) / cells;
    if (before?.kind === kind && before.to === from) parts[parts.length - 1] = { ...before, to };
    else parts.push({ kind, from, to });
  }
  return parts;
}

/**
 * Returns the kind of activity to show for a short interval of the timeline: a kind that people must notice
 * (`noticed`), or else the kind that took the most time.
 */
function mainKind(times: ReadonlyMap<ShareKind, number>): ShareKind | undefined {
  const found = kinds.filter((kind) => times.has(kind));
  const time = (kind: ShareKind): number => times.get(kind) ?? 0;
  const [longest] = found.toSorted((one, other) => time(other) - time(one));
  return found.find((kind) => noticed.has(kind)) ?? longest;
}
