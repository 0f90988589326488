import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import type { BenchmarkOptions, Figure, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import type { MemoryJob, MemorySample } from "./memory-process.ts";

/** Measures the memory of many idle and many active lanes, in a separate process. */
export async function benchMemory(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const counts = options.quick ? { idle: 50, active: 10 } : { idle: 10_000, active: 500 };
  options.progress(`memory with ${counts.idle} idle and ${counts.active} active lanes`);
  const samples = await measure({ place: await engine.newPlace(), ...counts });
  const [first] = samples;
  const figures = samples.map(({ name, rssMb, heapMb }, index): Figure => {
    const before = samples[index - 1];
    return {
      engine: engine.name,
      group: "memory",
      name,
      values: { rssMb, heapMb, ...perLane(samples[index], before) },
      ratios:
        first === undefined || before === undefined
          ? []
          : [{ to: first.name, value: rssMb / first.rssMb }],
    };
  });
  return { figures, targets: [] };
}

/** Returns the heap memory per lane, for the lanes that were added since the previous sample. */
function perLane(
  sample: MemorySample | undefined,
  before: MemorySample | undefined,
): Record<string, number> {
  if (sample === undefined || before === undefined) return {};
  const lanes = sample.lanes - before.lanes;
  return { heapPerLaneKb: ((sample.heapMb - before.heapMb) * 1024) / lanes };
}

async function measure(job: MemoryJob): Promise<MemorySample[]> {
  const file = join(import.meta.dirname, "memory-process.ts");
  const flags = ["--expose-gc", "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...flags, file, JSON.stringify(job)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  const output = await text(child.stdout);
  const code = await ended;
  if (code !== 0) throw new Error(`the measured process exited with code ${code}`);
  return JSON.parse(output);
}
