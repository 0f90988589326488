import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { createSession } from "../store/lane-commands.ts";
import { fillLog } from "./fill.ts";
import { flatSeries } from "./operations.ts";
import { benchSizes } from "./sizes.ts";

/** Measures all operations on a session whose log has different lengths, in a store without other sessions. */
export function benchLogLength(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  return benchSizes(engine, options, {
    group: "by the length of a session's log",
    unit: "events",
    flat: flatSeries,
    sizes: { quick: [10, 500], usual: [10, 1_000, 100_000], full: [10, 10_000, 1_000_000] },
    fill: async (store, events) =>
      fillLog(store, { sessionId: await createSession(store), events }),
  });
}
