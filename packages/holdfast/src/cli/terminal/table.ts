export interface Column {
  readonly title: string;
  readonly align?: "right";
  /** Columns with a higher number are left out first if the terminal is too narrow. Missing: always shown. */
  readonly optional?: number;
}

const gap = 2;

/** Formats rows as a table that fits the width. The first column is shortened if nothing else helps. */
export function fitTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const kept = keptColumns(columns, rows, width);
  const widths = kept.map((place) => widthOf(place, columns, rows));
  const excess = totalOf(widths) - width;
  if (excess > 0) widths[0] = Math.max(shortest, (widths[0] ?? 0) - excess);
  const line = (cells: readonly string[]): string =>
    kept
      .map((place, index) => {
        const cell = shorten(cells[place] ?? "", widths[index] ?? 0);
        const size = widths[index] ?? 0;
        return columns[place]?.align === "right" ? cell.padStart(size) : cell.padEnd(size);
      })
      .join(" ".repeat(gap))
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
}

/** Shortest form of the first column. */
const shortest = 12;

function keptColumns(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly number[] {
  // A column without any content says nothing.
  let kept = [...columns.keys()].filter(
    (place) => columns[place]?.optional === undefined || rows.some((row) => row[place] !== ""),
  );
  for (;;) {
    const total = totalOf(kept.map((place) => widthOf(place, columns, rows)));
    const dropped = kept
      .filter((place) => columns[place]?.optional !== undefined)
      .toSorted(
        (left, right) => (columns[right]?.optional ?? 0) - (columns[left]?.optional ?? 0),
      )[0];
    if (total <= width || dropped === undefined) return kept;
    kept = kept.filter((place) => place !== dropped);
  }
}

function widthOf(
  place: number,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): number {
  const cells = rows.map((row) => row[place]?.length ?? 0);
  return Math.max(columns[place]?.title.length ?? 0, ...cells);
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, size) => sum + size, 0) + gap * Math.max(0, widths.length - 1);
}

/** Keeps the start and the end of a text, because names of models differ at both. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = Math.floor((length - 1) / 2);
  return `${text.slice(0, length - 1 - end)}…${end === 0 ? "" : text.slice(-end)}`;
}
