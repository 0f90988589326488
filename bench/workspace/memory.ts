import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { startChild } from "../server/child.ts";

/** Measures the memory of a process while many directories are open, and after all are closed. */
export async function benchMemory(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const count = options.quick ? 10 : 200;
  options.progress(`memory with ${count} directories`);
  const child = await startChild<null>("../workspace/memory-process.ts", { count });
  try {
    const nothing = await child.memory();
    await child.ask<null>("open");
    const open = await child.memory();
    await child.ask<null>("close");
    const idle = await child.memory();
    const perDirectory = ({ heapMb }: { heapMb: number }): number =>
      ((heapMb - nothing.heapMb) * 1024) / count;
    const figures = [
      { name: `other ${count} were open`, values: { ...nothing } },
      { name: `${count} open`, values: { ...open, heapPerDirectoryKb: perDirectory(open) } },
      { name: "all of them idle", values: { ...idle, heapPerDirectoryKb: perDirectory(idle) } },
    ].map((figure) => ({ engine: engine.name, group: "memory", ratios: [], ...figure }));
    return { figures, targets: [] };
  } finally {
    await child.stop();
  }
}
