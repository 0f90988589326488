import type { Benchmark } from "../benchmark.ts";
import { onEachEngine } from "../engine/each-engine.ts";
import { benchArchived } from "./archived.ts";
import { benchLogLength } from "./log-length.ts";
import { benchNodes } from "./nodes.ts";
import { benchSessions } from "./sessions.ts";

const parts = {
  sessions: benchSessions,
  archived: benchArchived,
  log: benchLogLength,
  nodes: benchNodes,
};

export const growthBenchmark: Benchmark = {
  name: "growth",
  summary: "store operations by number of sessions, number of nodes, and log length",
  parts: Object.keys(parts),
  run: (options) =>
    onEachEngine(
      options,
      Object.entries(parts).flatMap(([name, part]) =>
        name === (options.only ?? name) ? [part] : [],
      ),
    ),
};
