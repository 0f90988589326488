import { onStdout } from "./style.ts";
import { cutTo, outputWidth, padTo, widthOf } from "./width.ts";

export interface Column {
  readonly title: string;
  readonly align?: "right";
  /** Columns with a higher number are left out first if the terminal is too narrow. Missing: always shown. */
  readonly optional?: number;
  /** Where long cells are shortened. Missing: cells are shown in full. */
  readonly cut?: "end" | "middle";
  /** Minimum width to which cells are shortened before an optional column is left out. */
  readonly least?: number;
  /** Adds colours to a cell. */
  readonly paint?: (text: string) => string;
}

const gap = 2;
/** Minimum width of cells that can be shortened. */
const shortest = 8;

/** Prints rows as a table that fits the width of the terminal. Prints the titles too, unless there is no row. */
export function printTable(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  for (const line of fitTable(columns, rows, outputWidth())) console.log(line);
}

/** Formats rows as a table that fits the width. The first line has the titles. */
export function fitTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const all = columns.map(({ title }, place) => ({
    ...columns[place],
    title,
    place,
    full: Math.max(widthOf(title), ...rows.map((row) => widthOf(row[place] ?? ""))),
    isEmpty: rows.every((row) => (row[place] ?? "") === ""),
  }));
  const kept = keptColumns(all, width);
  const widths = widthsOf(kept, width);
  const line = (cells: readonly string[], isHead: boolean): string => {
    // If the table is still too wide, cut it at the right edge.
    let left = width;
    const shown = kept.map((column, index) => {
      const { place, align = "left", cut, paint = (text: string) => text } = column;
      const size = Math.min(widths[index] ?? 0, Math.max(0, left));
      left -= size + gap;
      const isLast = index === kept.length - 1;
      const cell = cutTo(cells[place] ?? "", size, isHead ? "end" : cut);
      const padded = isLast && align === "left" ? cell : padTo(cell, size, align);
      return isHead ? onStdout("bold", padded) : paint(padded);
    });
    return shown.join(" ".repeat(gap)).trimEnd();
  };
  const head = line(
    columns.map(({ title }) => title),
    true,
  );
  return [head, ...rows.map((row) => line(row, false))];
}

interface Measured extends Column {
  readonly place: number;
  /** Width of the widest cell. */
  readonly full: number;
  readonly isEmpty: boolean;
}

function keptColumns(columns: readonly Measured[], width: number): readonly Measured[] {
  // An optional column without any content is left out.
  let kept = columns.filter(({ optional, isEmpty }) => optional === undefined || !isEmpty);
  for (;;) {
    const total = totalOf(kept.map(leastOf));
    const [dropped] = kept
      .filter(({ optional }) => optional !== undefined)
      .toSorted((left, right) => (right.optional ?? 0) - (left.optional ?? 0));
    if (total <= width || dropped === undefined) return kept;
    kept = kept.filter((column) => column !== dropped);
  }
}

function leastOf({ full, cut, least = full }: Measured): number {
  return cut === undefined ? full : Math.min(full, least);
}

/**
 * Shortens the widest columns until the table fits: first down to the `least` width of each column, then as far as
 * necessary.
 */
function widthsOf(columns: readonly Measured[], width: number): readonly number[] {
  const widths = columns.map(({ full }) => full);
  const shrink = (floorOf: (column: Measured) => number): void => {
    while (totalOf(widths) > width) {
      const sizes = columns.map((column, index) => {
        const size = widths[index] ?? 0;
        return column.cut !== undefined && size > floorOf(column) ? size : 0;
      });
      const most = Math.max(...sizes);
      if (most === 0) return;
      widths[sizes.indexOf(most)] = most - 1;
    }
  };
  shrink(leastOf);
  shrink(({ full }) => Math.min(full, shortest));
  return widths;
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, size) => sum + size, 0) + gap * Math.max(0, widths.length - 1);
}
