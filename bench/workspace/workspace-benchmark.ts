import type { Benchmark } from "../benchmark.ts";
import { onEachEngine } from "../engine/each-engine.ts";
import { benchMemory } from "./memory.ts";
import { benchRefresh } from "./refresh.ts";
import { benchStart } from "./start.ts";

export const workspaceBenchmark: Benchmark = {
  name: "workspace",
  summary: "runs with and without a loaded directory; refreshes; memory of many directories",
  run: (options) => onEachEngine(options, [benchStart, benchRefresh, benchMemory]),
};
