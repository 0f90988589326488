import type { Benchmark } from "../benchmark.ts";
import { onEachEngine } from "../engine/each-engine.ts";
import { benchHosted } from "./overhead.ts";

export const hostedBenchmark: Benchmark = {
  name: "hosted",
  summary: "prompts to a hosted agent compared with the same agent without Holdfast",
  run: (options) => onEachEngine(options, [benchHosted]),
};
