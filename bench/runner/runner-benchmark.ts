import type { Benchmark } from "../benchmark.ts";
import { onEachEngine } from "../engine/each-engine.ts";
import { benchConversationLength } from "./conversation-length.ts";
import { benchFairPlaces } from "./fair-places.ts";
import { benchMemory } from "./memory.ts";
import { benchThroughput } from "./throughput.ts";

export const runnerBenchmark: Benchmark = {
  name: "runner",
  summary: "prompts through the runner compared with the store; memory of many lanes",
  run: (options) =>
    onEachEngine(options, [benchThroughput, benchFairPlaces, benchConversationLength, benchMemory]),
};
