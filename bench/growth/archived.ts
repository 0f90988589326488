import type { Store } from "../../packages/holdfast/src/store/store.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { archive } from "../store/lane-commands.ts";
import { fillSessions } from "./fill.ts";
import type { Known } from "./fill.ts";
import { flatSeries } from "./operations.ts";
import { benchSizes } from "./sizes.ts";

/** Measures all operations in stores with different numbers of sessions, almost all of which are archived. */
export function benchArchived(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const current = options.quick ? 10 : 1_000;
  return benchSizes(engine, options, {
    group: `by the number of sessions, all but ${current} of them archived`,
    unit: "sessions",
    flat: [...flatSeries, "search", "search without a match"],
    sizes: { quick: [10, 200], usual: [1_000, 20_000], full: [1_000, 10_000, 100_000] },
    fill: (store, size) => fillMostlyArchived(store, { size, current }),
  });
}

async function fillMostlyArchived(
  store: Store,
  { size, current }: { size: number; current: number },
): Promise<readonly Known[]> {
  const known = await fillSessions(store, size);
  const rest = known.slice(current);
  while (rest.length > 0) {
    await Promise.all(rest.splice(0, 512).map(({ sessionId }) => archive(store, sessionId)));
  }
  return known.slice(0, current);
}
