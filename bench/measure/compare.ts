import type { Figure, Ratio } from "../benchmark.ts";
import type { Measured } from "./alternate.ts";
import { costRatio, ratesOf, speedRatio } from "./statistics.ts";

export type Compared = Pick<Figure, "name" | "values" | "ratios">;

/**
 * Converts measurements to rows of the printed table. `references` lists, for each measurement, the names of the measurements to compare
 * its speed with.
 */
export function compare(
  measured: readonly Measured[],
  references: Readonly<Record<string, readonly string[]>>,
): Compared[] {
  return measured.map((entry) => ({
    name: entry.name,
    values: ratesOf(entry),
    ratios: (references[entry.name] ?? []).flatMap((to): Ratio[] => {
      const other = measured.find(({ name }) => name === to);
      return other === undefined ? [] : [{ to, value: speedRatio(entry, other) }];
    }),
  }));
}

/** Like `compare`, but compares the time per operation of each series with the same series of the reference. */
export function compareCosts(measured: readonly Measured[], reference: string): Compared[] {
  return measured.map((entry) => {
    const other = measured.find(
      ({ name, series }) => name === reference && series === entry.series,
    );
    return {
      name: `${entry.series}, ${entry.name}`,
      values: ratesOf(entry),
      ratios:
        other === undefined || entry.name === reference
          ? []
          : [{ to: `${other.series}, ${reference}`, value: costRatio(entry, other) }],
    };
  });
}
