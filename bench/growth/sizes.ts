import { createRuntime } from "../../packages/holdfast/src/runtime/runtime.ts";
import type { Store } from "../../packages/holdfast/src/store/store.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine, Place } from "../engine/engine.ts";
import { openPlace } from "../engine/engines.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant, Measured, Timed } from "../measure/alternate.ts";
import { compareCosts } from "../measure/compare.ts";
import { costTargets } from "../measure/cost-targets.ts";
import { drive } from "../measure/drive.ts";
import { instantAgent } from "../runner/instant-agent.ts";
import { joinBench } from "../store/lane-commands.ts";
import type { Known } from "./fill.ts";
import { askAll, pagedSeries, searchAll } from "./operations.ts";

export interface Growth {
  readonly group: string;
  readonly unit: string;
  readonly sizes: Record<"quick" | "usual" | "full", readonly number[]>;
  /** Names of operations that must take the same time in small and large stores. */
  readonly flat: readonly string[];
  readonly fill: (store: Store, size: number) => Promise<readonly Known[]>;
}

/**
 * Runs the same operations alternately on stores of several sizes, and compares their times with those of the smallest
 * store. Operations that return a page are compared with the smallest store that fills a page.
 */
export async function benchSizes(
  engine: Engine,
  options: BenchmarkOptions,
  growth: Growth,
): Promise<Findings> {
  const { group, unit } = growth;
  const { quick, full } = options;
  const sizes = growth.sizes[quick ? "quick" : full ? "full" : "usual"];
  const nameOf = (size: number): string => `${size.toLocaleString("en-US")} ${unit}`;
  const filled: Filled[] = [];
  try {
    for (const size of sizes) {
      options.progress(`a store with ${nameOf(size)}`);
      const place = await engine.newPlace();
      const filling = await openPlace(place);
      const known = await growth.fill(filling, size);
      // Collect statistics now: until autovacuum runs, PostgreSQL plans queries without them.
      if (engine.name === "postgres") await filling.compact();
      await filling.close();
      // Open the store again, so that its cache does not contain the lanes (sessions) that were just written.
      const store = await openPlace(place);
      await joinBench(store);
      filled.push({ name: nameOf(size), place, store, known });
    }
    options.progress(`all operations, ${group}, alternately`);
    const schedule = quick ? { slices: 2, sliceMs: 20 } : { slices: 16, sliceMs: 250 };
    const asked = await alternate(filled.map(asking), schedule);
    const searched = await alternate(filled.map(searching), schedule);
    options.progress("time from open to ready, alternately");
    const restarts = quick ? { slices: 1, sliceMs: 1 } : { slices: 8, sliceMs: 1 };
    const restarted = await alternate(filled.map(restarting), restarts);
    const smallest = nameOf(sizes[0] ?? 0);
    const fullPages = nameOf(sizes.find((size) => size >= 1_000) ?? sizes[0] ?? 0);
    const largest = nameOf(sizes.at(-1) ?? 0);
    const figures = [
      ...compareCosts([...asked.filter((entry) => !isPaged(entry)), ...restarted], smallest),
      ...compareCosts([...asked.filter(isPaged), ...searched], fullPages),
    ]
      .toSorted((left, right) => seriesOf(left.name).localeCompare(seriesOf(right.name)))
      .map((figure) => ({ engine: engine.name, group, ...figure }));
    const targets = costTargets(figures, {
      engine: engine.name,
      series: growth.flat,
      largest,
      label: "cost of",
      atMost: 1.5,
    });
    return { figures, targets };
  } finally {
    for (const { store } of filled) await store.close();
  }
}

interface Filled {
  readonly name: string;
  readonly place: Place;
  store: Store;
  readonly known: readonly Known[];
}

/** Measures operations on sessions that are stored far apart, so that they do not share cached pages by chance. */
function asking(filled: Filled): Contestant {
  const { name, known } = filled;
  let place = 0;
  return {
    name,
    round: async () => {
      place = (place + 7_919) % known.length;
      const chosen = known[place];
      // A session in the middle of the list, used to read a later page.
      const middle = known[(place + Math.floor(known.length / 2)) % known.length];
      if (chosen === undefined || middle === undefined) return [];
      return askAll(filled.store, { known: chosen, middle });
    },
  };
}

function searching(filled: Filled): Contestant {
  return { name: filled.name, round: () => searchAll(filled.store) };
}

/** Opens the store and recovers earlier runs, as a process does before it serves. */
function restarting(filled: Filled): Contestant {
  return {
    name: filled.name,
    round: async (): Promise<readonly Timed[]> => {
      await filled.store.close();
      let close = nothing;
      const restart = async (): Promise<void> => {
        filled.store = await openPlace(filled.place);
        const runtime = await createRuntime({ store: filled.store, agent: instantAgent });
        close = () => runtime.close();
        await runtime.ready;
      };
      const timed = await drive({ series: "restart", operations: [restart], writers: 1 });
      await close();
      return [timed];
    },
  };
}

async function nothing(): Promise<void> {}

function isPaged({ series }: Measured): boolean {
  return pagedSeries.includes(series);
}

function seriesOf(name: string): string {
  return name.slice(0, name.indexOf(","));
}
