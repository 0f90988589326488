/** Positions of the rows of a list. The height of a row is estimated until the row was measured. */
export interface RowPlaces {
  /** Top edge of each row, followed by the total height. */
  readonly edges: Float64Array;
  readonly indexes: ReadonlyMap<string, number>;
}

export function placeRows(
  ids: readonly string[],
  heights: ReadonlyMap<string, number>,
  estimate: number,
): RowPlaces {
  const edges = new Float64Array(ids.length + 1);
  const indexes = new Map<string, number>();
  for (const [index, id] of ids.entries()) {
    indexes.set(id, index);
    edges[index + 1] = (edges[index] ?? 0) + (heights.get(id) ?? estimate);
  }
  return { edges, indexes };
}

/** Returns the row at a vertical position: the last row that begins at or above it. */
export function rowAt({ edges }: RowPlaces, height: number): number {
  let low = 0;
  let high = Math.max(0, edges.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((edges[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the rows to render: those in the visible area, and in `spare` pixels above and below it. */
export function rowsInSight(
  places: RowPlaces,
  sight: { top: number; height: number; spare: number },
): { first: number; end: number } {
  const count = places.edges.length - 1;
  if (count === 0) return { first: 0, end: 0 };
  const first = rowAt(places, Math.max(0, sight.top - sight.spare));
  const end = rowAt(places, sight.top + sight.height + sight.spare) + 1;
  return { first, end: Math.min(count, end) };
}
