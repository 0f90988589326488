import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { fillSessions } from "./fill.ts";
import { flatSeries } from "./operations.ts";
import { benchSizes } from "./sizes.ts";

/** Measures all operations in stores with different numbers of sessions. */
export function benchSessions(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  return benchSizes(engine, options, {
    group: "by the number of sessions",
    unit: "sessions",
    flat: flatSeries,
    sizes: { quick: [10, 200], usual: [10, 1_000, 20_000], full: [10, 1_000, 10_000, 100_000] },
    fill: fillSessions,
  });
}
