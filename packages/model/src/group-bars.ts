/** Where a bar is drawn, as shares of the chart width. */
export interface DrawnBar {
  readonly left: number;
  readonly right: number;
  /** True: the bar is always drawn alone. */
  readonly isAlone: boolean;
}

/** Number of bars in a row from which narrow bars are grouped. With fewer bars, people can tell them apart. */
const many = 60;
/** A bar that is narrower, and nearer to the bar before it, can become a part of a group. */
const narrow = 0.006;
/** Largest width of a group of narrow bars, so that the groups still show when there was more and less work. */
const widest = 0.03;

/**
 * Groups the bars of one row for drawing, in the order of their left ends: bars that overlap, and neighbors that are too
 * narrow to tell apart. However many bars a row has, it gets at most a few hundred groups. Most groups are a single bar.
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

/** Neighbors that only touch, or overlap by a rounding error, do not count as overlapping. */
const overlapTolerance = 0.0001;

function isNarrow({ left, right }: Pick<DrawnBar, "left" | "right">): boolean {
  return right - left < narrow;
}
