import type { Runtime } from "../../packages/holdfast/src/runtime/runtime.ts";
import { target } from "../benchmark.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant, Measured } from "../measure/alternate.ts";
import { compareCosts } from "../measure/compare.ts";
import { drive } from "../measure/drive.ts";
import { ratesOf } from "../measure/statistics.ts";
import { instantAgent } from "../runner/instant-agent.ts";
import { ask, openRuntime, openSession } from "../runner/runtime.ts";
import { openProjects } from "./projects.ts";

/** Measures a prompt whose run uses the config of a loaded directory, against a prompt whose run uses no config. */
export async function benchStart(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  options.progress("prompts in a loaded directory and without one, alternately");
  const projects = await openProjects({ count: 1, watch: true });
  const [directory = ""] = projects.directories;
  const open = async (fields: { workspaces?: typeof projects.setup.host }): Promise<Runtime> =>
    openRuntime({ place: await engine.newPlace(), agent: instantAgent, maxRuns: 8, ...fields });
  const bare = await open({});
  const loaded = await open({ workspaces: projects.setup.host });
  try {
    const contestants = [
      await contestant(bare, { name: names.bare, directory }),
      await contestant(loaded, { name: names.loaded, directory }),
    ];
    const schedule = options.quick ? { slices: 3, sliceMs: 25 } : { slices: 24, sliceMs: 250 };
    const measured = await alternate(contestants, schedule);
    const figures = compareCosts(measured, names.bare).map((figure) => ({
      engine: engine.name,
      group: "a prompt from accept to outcome",
      ...figure,
    }));
    const name = "milliseconds that a loaded directory adds to a run";
    const bound = { atMost: 1 };
    return {
      figures,
      targets: [target({ engine: engine.name, name, bound, value: added(measured) })],
    };
  } finally {
    await loaded.close();
    await bare.close();
    await projects.close();
  }
}

const names = { bare: "no workspace", loaded: "a loaded directory" };

async function contestant(
  holdfast: Runtime,
  options: { name: string; directory: string },
): Promise<Contestant> {
  const sessionId = await openSession(holdfast, options.directory);
  const operations = Array.from({ length: 8 }, () => () => ask(holdfast, sessionId, "go on"));
  return {
    name: options.name,
    round: async () => [await drive({ series: "prompt", operations, writers: 1 })],
  };
}

/**
 * Returns how many milliseconds a loaded directory adds to a prompt: the median time with a loaded directory minus the
 * median time without one. Medians hardly change if the machine pauses now and then.
 */
function added(measured: readonly Measured[]): number {
  const [bare = Number.NaN, loaded = Number.NaN] = [names.bare, names.loaded].map((name) => {
    const found = measured.find((entry) => entry.name === name);
    return found === undefined ? Number.NaN : ratesOf(found).p50Ms;
  });
  return loaded - bare;
}
