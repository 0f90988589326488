import type { Benchmark } from "../benchmark.ts";
import { onEachEngine } from "../engine/each-engine.ts";
import { benchArchived } from "./archived.ts";
import { benchLogLength } from "./log-length.ts";
import { benchSessions } from "./sessions.ts";

export const growthBenchmark: Benchmark = {
  name: "growth",
  summary: "what is asked of a store, by the number of sessions and by the length of a log",
  run: (options) => onEachEngine(options, [benchSessions, benchArchived, benchLogLength]),
};
