import type { Benchmark } from "../benchmark.ts";
import { onEachEngine } from "../engine/each-engine.ts";
import { benchActivity } from "./activity.ts";
import { benchArchived } from "./archived.ts";
import { benchLogLength } from "./log-length.ts";
import { benchNodes } from "./nodes.ts";
import { benchSearch } from "./search.ts";
import { benchSessions } from "./sessions.ts";

const parts = {
  sessions: benchSessions,
  archived: benchArchived,
  log: benchLogLength,
  nodes: benchNodes,
  search: benchSearch,
  activity: benchActivity,
};

export const growthBenchmark: Benchmark = {
  name: "growth",
  summary:
    "store operations by number of sessions, number of nodes, and log length; full-text search; activity summary",
  parts: Object.keys(parts),
  run: (options) =>
    onEachEngine(
      options,
      Object.entries(parts).flatMap(([name, part]) =>
        name === (options.only ?? name) ? [part] : [],
      ),
    ),
};
