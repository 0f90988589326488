import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "./engine.ts";
import { startEngine } from "./engines.ts";

/** Runs the parts of a benchmark on each engine in sequence and merges the results. */
export async function onEachEngine(
  options: BenchmarkOptions,
  parts: readonly ((engine: Engine, options: BenchmarkOptions) => Promise<Findings>)[],
): Promise<Findings> {
  const found: Findings[] = [];
  for (const name of options.engines) {
    const engine = await startEngine(name);
    const progress = (message: string): void => options.progress(`${name}: ${message}`);
    try {
      for (const part of parts) found.push(await part(engine, { ...options, progress }));
    } finally {
      await engine.stop();
    }
  }
  return {
    figures: found.flatMap(({ figures }) => figures),
    targets: found.flatMap(({ targets }) => targets),
  };
}
