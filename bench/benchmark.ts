import type { EngineName } from "./engine/engine.ts";

/** A benchmark of `npm run bench`. */
export interface Benchmark {
  readonly name: string;
  /** One line for the list of benchmarks. */
  readonly summary: string;
  /** Names of the parts of this benchmark. The option --only runs one part alone. */
  readonly parts?: readonly string[];
  run(options: BenchmarkOptions): Promise<Findings>;
}

export interface BenchmarkOptions {
  readonly engines: readonly EngineName[];
  /** Run in seconds instead of minutes. This only checks that the benchmark works; the measured values mean little. */
  readonly quick: boolean;
  /** Use the largest sizes. Takes tens of minutes. */
  readonly full: boolean;
  /** Run only the part of the benchmark with this name; null: all parts. */
  readonly only: string | null;
  readonly progress: (message: string) => void;
}

export interface Findings {
  readonly figures: readonly Figure[];
  readonly targets: readonly Target[];
}

export interface Figure {
  readonly engine: EngineName;
  /** Figures with the same group were measured alternately and are printed in one table. */
  readonly group: string;
  readonly name: string;
  /** Measured values. Each key contains its unit, such as `p50Ms`. */
  readonly values: Readonly<Record<string, number>>;
  readonly ratios: readonly Ratio[];
}

export interface Ratio {
  /** Name of the measurement that this measurement is compared with. */
  readonly to: string;
  readonly value: number;
}

export interface Target {
  readonly engine: EngineName;
  readonly name: string;
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
  readonly value: number;
  readonly met: boolean;
}

export function target(input: Omit<Target, "met">): Target {
  const { bound, value } = input;
  return { ...input, met: "atLeast" in bound ? value >= bound.atLeast : value <= bound.atMost };
}
