import type { Span } from "./timeline.ts";

/**
 * Puts each span into the first free drawing row (lane), so that spans in one row do not overlap. If the number of rows
 * is limited, spans for which no row is free go into the last row.
 */
export function packLanes(
  spans: readonly Span[],
  { room = 0, most = Infinity }: { readonly room?: number; readonly most?: number } = {},
): { readonly places: readonly number[]; readonly lanes: number } {
  const ends: number[] = [];
  const order = spans.map((_, index) => index);
  order.sort((one, other) => (spans[one]?.from ?? 0) - (spans[other]?.from ?? 0));
  const places: number[] = Array.from(spans, () => 0);
  for (const index of order) {
    const span = spans[index];
    if (span === undefined) continue;
    const free = ends.findIndex((end) => end <= span.from);
    const lane = free === -1 ? Math.min(ends.length, most - 1) : free;
    places[index] = lane;
    ends[lane] = Math.max(ends[lane] ?? 0, span.to === null ? Infinity : span.to + room);
  }
  return { places, lanes: Math.max(1, ends.length) };
}
