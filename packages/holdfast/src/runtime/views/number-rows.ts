/** Rows of numbers in one array, which needs much less memory than objects. */
export interface NumberRows {
  /** Adds a row. All rows have the same number of columns. */
  add(...row: readonly number[]): void;
  /** Calls `use` for each row: the row starts at the index `at` of `values`. */
  each(use: (values: Float64Array, at: number) => void): void;
  /** Drops all rows whose number in this column is less than `least`. */
  dropBelow(column: number, least: number): void;
}

export function createNumberRows(width: number): NumberRows {
  let values = new Float64Array(0);
  let length = 0;
  return {
    add(...row) {
      if (length + width > values.length) {
        const grown = new Float64Array(Math.max(16 * width, Math.ceil(values.length * 1.25)));
        grown.set(values);
        values = grown;
      }
      values.set(row, length);
      length += width;
    },
    each(use) {
      for (let at = 0; at < length; at += width) use(values, at);
    },
    dropBelow(column, least) {
      let kept = 0;
      for (let at = 0; at < length; at += width) {
        if ((values[at + column] ?? 0) < least) continue;
        values.copyWithin(kept, at, at + width);
        kept += width;
      }
      values = values.slice(0, kept);
      length = kept;
    },
  };
}
