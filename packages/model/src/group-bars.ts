/** Position of a bar, as shares of the chart width. */
export interface DrawnBar {
  readonly left: number;
  readonly right: number;
  /** True: the bar is never part of a group. */
  readonly isAlone: boolean;
}

/** Narrow bars are grouped only if the chart row has at least this many bars. Fewer bars can be told apart. */
const many = 60;
/**
 * A bar can join a group if it is narrower than this, and closer than this to the bar before it. Share of the chart
 * width.
 */
const narrow = 0.006;
/**
 * Maximum width of a group of narrow bars, as a share of the chart width. Wider groups would hide which times were busy
 * and which were quiet.
 */
const widest = 0.03;

/**
 * Groups the bars of one row for drawing, sorted by their left ends: bars that overlap, and neighbors that are too
 * narrow to tell apart. A row gets at most a few hundred groups, no matter how many bars it has. Most groups are a
 * single bar.
 */
export function groupBars<Bar extends DrawnBar>(bars: readonly Bar[]): readonly (readonly Bar[])[] {
  const groups: Bar[][] = [];
  let right = -Infinity;
  for (const bar of bars.toSorted((one, other) => one.left - other.left)) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const isJoined =
      first !== undefined &&
      !bar.isAlone &&
      !first.isAlone &&
      (bar.left < right - overlapTolerance ||
        (bars.length >= many &&
          isNarrow(bar) &&
          isNarrow({ left: first.left, right: first.right }) &&
          bar.left - right < narrow &&
          bar.right - first.left < widest));
    if (isJoined) group?.push(bar);
    else groups.push([bar]);
    right = isJoined ? Math.max(right, bar.right) : bar.right;
  }
  return groups;
}

/** Two bars that overlap by less than this, because of a rounding error, do not count as overlapping. */
const overlapTolerance = 0.0001;

function isNarrow({ left, right }: Pick<DrawnBar, "left" | "right">): boolean {
  return right - left < narrow;
}
