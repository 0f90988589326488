import type { EngineName } from "./engine/engine.ts";

/** One name under `npm run bench`. */
export interface Benchmark {
  readonly name: string;
  /** One line for the list of names. */
  readonly summary: string;
  /** Names of what it can be asked to do alone. */
  readonly parts?: readonly string[];
  run(options: BenchmarkOptions): Promise<Findings>;
}

export interface BenchmarkOptions {
  readonly engines: readonly EngineName[];
  /** Seconds instead of minutes: shows that it works, not how fast it is. */
  readonly quick: boolean;
  /** The largest sizes there are, where a benchmark has several: tens of minutes. */
  readonly full: boolean;
  /** One of its parts; null for all of them. */
  readonly only: string | null;
  readonly progress: (message: string) => void;
}

export interface Findings {
  readonly figures: readonly Figure[];
  readonly targets: readonly Target[];
}

export interface Figure {
  readonly engine: EngineName;
  /** Figures of one group were measured in turn with one another, and share a table. */
  readonly group: string;
  readonly name: string;
  /** Each key names its unit. */
  readonly values: Readonly<Record<string, number>>;
  readonly ratios: readonly Ratio[];
}

export interface Ratio {
  /** The name of the figure that this one is held against. */
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
