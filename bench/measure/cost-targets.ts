import { target } from "../benchmark.ts";
import type { Figure, Target } from "../benchmark.ts";

/**
 * Returns one performance target for each kind of operation in `series`: with the most data (`largest`), an operation
 * may take at most `atMost` times as long as with the data that it is compared to.
 */
export function costTargets(
  figures: readonly Figure[],
  wanted: {
    readonly engine: Target["engine"];
    readonly series: readonly string[];
    readonly largest: string;
    /** Text before the name of each performance target. */
    readonly label: string;
    readonly atMost: number;
  },
): Target[] {
  const { engine, series, largest, label, atMost } = wanted;
  return series.map((each) => {
    const name = `${each}, ${largest}`;
    const found = figures.find((figure) => figure.name === name);
    const value = found?.ratios[0]?.value ?? Number.NaN;
    return target({ engine, name: `${label} ${name}`, bound: { atMost }, value });
  });
}
