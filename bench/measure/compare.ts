import type { Figure, Ratio } from "../benchmark.ts";
import type { Measured } from "./alternate.ts";
import { costRatio, ratesOf, speedRatio } from "./statistics.ts";

export type Compared = Pick<Figure, "name" | "values" | "ratios">;

/** The figures of what was measured, each with its speed as a multiple of those named for it. */
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

/** The same by cost: every series of a contestant as a multiple of the same series of another. */
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
