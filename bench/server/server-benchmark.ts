import type { Benchmark } from "../benchmark.ts";
import { onEachEngine } from "../engine/each-engine.ts";
import { benchAccept } from "./accept.ts";
import { benchFanOut } from "./fan-out.ts";
import { benchMemory } from "./memory.ts";
import { benchMemoryAfterWork } from "./memory-after-work.ts";
import { benchStart } from "./start.ts";

export const serverBenchmark: Benchmark = {
  name: "server",
  summary: "accepts and event streams over HTTP compared with bare servers; memory; time to ready",
  run: (options) =>
    onEachEngine(options, [
      benchAccept,
      benchFanOut,
      benchMemory,
      benchMemoryAfterWork,
      benchStart,
    ]),
};
