import type { Segment } from "./run-segments.ts";
import type { PromptBar } from "./timeline.ts";

/** Total time that a prompt spent on one kind of activity. */
export interface Share {
  readonly kind: ShareKind;
  /** Name of the tool; null for other activities. */
  readonly name: string | null;
  readonly time: number;
}

/** `other`: the run was active but did none of the other activities, for example while it loaded or committed. */
export type ShareKind =
  | "waiting"
  | "held"
  | "model"
  | "tool"
  | "asking"
  | "cutOff"
  | "stopping"
  | "other";

/** Priority of segments that overlap in time: the segment with the highest number counts. */
const weights: Record<Segment["kind"], number> = {
  asking: 4,
  cutOff: 3,
  stopping: 2,
  tool: 1,
  model: 0,
};

/** Splits the time of a prompt into shares, in the order of the bar's segments. Every moment counts once. */
export function breakdown(bar: PromptBar, now: number): readonly Share[] {
  const held = bar.held.reduce((sum, { from, to }) => sum + (to ?? now) - from, 0);
  const waited = (bar.waiting.to ?? now) - bar.waiting.from;
  const shares: Share[] = [
    { kind: "waiting", name: null, time: waited - held },
    { kind: "held", name: null, time: held },
    ...activeShares(bar, now),
  ];
  return shares.filter(({ time }) => time > 0);
}

function activeShares(bar: PromptBar, now: number): readonly Share[] {
  if (bar.active === null) return [];
  const begin = bar.active.from;
  const end = bar.active.to ?? now;
  const segments = bar.segments.map((segment) => ({ ...segment, to: segment.to ?? now }));
  const moments = [begin, end, ...segments.flatMap(({ from, to }) => [from, to])]
    .filter((moment) => moment >= begin && moment <= end)
    .toSorted((one, other) => one - other);
  const sums = new Map<string, Share>();
  for (const [index, from] of moments.entries()) {
    const to = moments[index + 1];
    if (to === undefined || to <= from) continue;
    const [first] = segments
      .filter((part) => part.from <= from && part.to >= to)
      .toSorted((one, other) => weights[other.kind] - weights[one.kind]);
    const kind = first?.kind ?? "other";
    const name = kind === "tool" ? (first?.name ?? null) : null;
    const key = `${kind}:${name}`;
    sums.set(key, { kind, name, time: (sums.get(key)?.time ?? 0) + to - from });
  }
  return [...sums.values()];
}
