import type { Benchmark } from "../benchmark.ts";
import { onEachEngine } from "../engine/each-engine.ts";
import { benchManySessions } from "./many-sessions.ts";
import { benchOverhead } from "./overhead.ts";

export const agentBenchmark: Benchmark = {
  name: "agent",
  summary: "prompts to the coding agent compared with bare model calls",
  run: (options) => onEachEngine(options, [benchOverhead, benchManySessions]),
};
