import type { Segment } from "./run-segments.ts";
import type { PromptBar } from "./timeline.ts";

/** What a stretch of a prompt's time went into. */
export interface Share {
  readonly kind: ShareKind;
  /** The tool's name. */
  readonly name: string | null;
  readonly time: number;
}

/** `other`: its run was active, and at none of the rest: loading, starting, committing. */
export type ShareKind =
  | "waiting"
  | "held"
  | "model"
  | "tool"
  | "asking"
  | "cutOff"
  | "stopping"
  | "other";

/** What counts when two things happen at the same time: whoever is waited for. */
const weights: Record<Segment["kind"], number> = {
  asking: 4,
  cutOff: 3,
  stopping: 2,
  tool: 1,
  model: 0,
};

/** Where all the time of a prompt went, every moment counted once; the order is that of a bar. */
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
  const parts = bar.segments.map((segment) => ({ ...segment, to: segment.to ?? now }));
  const moments = [begin, end, ...parts.flatMap(({ from, to }) => [from, to])]
    .filter((moment) => moment >= begin && moment <= end)
    .toSorted((one, other) => one - other);
  const sums = new Map<string, Share>();
  for (const [index, from] of moments.entries()) {
    const to = moments[index + 1];
    if (to === undefined || to <= from) continue;
    const [first] = parts
      .filter((part) => part.from <= from && part.to >= to)
      .toSorted((one, other) => weights[other.kind] - weights[one.kind]);
    const kind = first?.kind ?? "other";
    const name = kind === "tool" ? (first?.name ?? null) : null;
    const key = `${kind}:${name}`;
    sums.set(key, { kind, name, time: (sums.get(key)?.time ?? 0) + to - from });
  }
  return [...sums.values()];
}
