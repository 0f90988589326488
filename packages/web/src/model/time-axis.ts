import type { Span } from "@holdfast/model/timeline.ts";

/**
 * A time axis for drawing. A long idle time is drawn as a narrow break, so that a prompt of two seconds is visible in
 * a session of two days. Positions are milliseconds of drawn time, from 0 to `length`.
 */
export interface TimeAxis {
  readonly length: number;
  readonly breaks: readonly Break[];
  readonly pieces: readonly Piece[];
}

export interface Break {
  readonly position: number;
  readonly width: number;
  /** Milliseconds of idle time that the chart shows only as this short gap. */
  readonly folded: number;
}

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly position: number;
  readonly width: number;
}

/** An idle period that is longer than the total busy time multiplied by this number is shown only as a short gap. */
const foldedFrom = 0.12;
const breakShare = 0.03;
const shortestFold = 3_000;

/** Creates an axis from the start of the first span to `end`. Open spans last until `end`. */
export function makeAxis(spans: readonly Span[], end: number): TimeAxis {
  const busy = union(spans, end);
  const total = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const foldAt = Math.max(shortestFold, total * foldedFrom);
  const breakWidth = Math.max(shortestFold / 4, total * breakShare);
  const pieces: Piece[] = [];
  const breaks: Break[] = [];
  let position = 0;
  const add = (from: number, to: number, width: number): void => {
    if (to <= from) return;
    pieces.push({ from, to, position, width });
    position += width;
  };
  let last: number | null = null;
  const gap = (from: number, to: number): void => {
    if (to - from <= foldAt) {
      add(from, to, to - from);
      return;
    }
    breaks.push({ position, width: breakWidth, folded: to - from });
    add(from, to, breakWidth);
  };
  for (const { from, to } of busy) {
    if (last !== null) gap(last, from);
    add(from, to, to - from);
    last = to;
  }
  if (last !== null && end > last && end - last <= foldAt) add(last, end, end - last);
  return { length: Math.max(position, 1), breaks, pieces };
}

export function toPosition(axis: TimeAxis, time: number): number {
  const { pieces } = axis;
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time > (pieces[middle]?.to ?? 0)) low = middle + 1;
    else high = middle;
  }
  const piece = pieces[low];
  if (piece === undefined) return 0;
  const share = (time - piece.from) / (piece.to - piece.from);
  return piece.position + Math.max(0, Math.min(1, share)) * piece.width;
}

export function toTime(axis: TimeAxis, position: number): number {
  const piece = axis.pieces.findLast((each) => each.position <= position) ?? axis.pieces[0];
  if (piece === undefined) return 0;
  const share = (position - piece.position) / piece.width;
  return piece.from + Math.max(0, Math.min(1, share)) * (piece.to - piece.from);
}

export interface Tick {
  readonly position: number;
  readonly time: number;
}

const steps = [
  10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000,
  604_800_000,
];

/** Returns about `count` round times within a part of the axis, none of them inside a break. */
export function ticksOf(
  axis: TimeAxis,
  view: { readonly from: number; readonly to: number },
  count: number,
): { readonly ticks: readonly Tick[]; readonly step: number } {
  const wanted = (view.to - view.from) / Math.max(1, count);
  const step = steps.find((each) => each >= wanted) ?? 604_800_000;
  const least = (view.to - view.from) / (count * 1.7);
  const folded = new Set(axis.breaks.map(({ position }) => position));
  const ticks: Tick[] = [];
  let last = -Infinity;
  for (const piece of axis.pieces) {
    if (folded.has(piece.position) && piece.width < piece.to - piece.from) continue;
    if (piece.position > view.to || piece.position + piece.width < view.from) continue;
    const begin = Math.max(piece.from, toTime(axis, Math.max(view.from, piece.position)));
    for (let time = Math.ceil(begin / step) * step; time <= piece.to; time += step) {
      const position = toPosition(axis, time);
      if (position > view.to) break;
      if (position - last < least) continue;
      ticks.push({ position, time });
      last = position;
    }
  }
  return { ticks, step };
}

function union(spans: readonly Span[], end: number): { from: number; to: number }[] {
  const sorted = spans
    .map(({ from, to }) => ({ from, to: Math.max(from, to ?? end) }))
    .toSorted((one, other) => one.from - other.from);
  const joined: { from: number; to: number }[] = [];
  for (const span of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else joined.push({ ...span });
  }
  return joined;
}
