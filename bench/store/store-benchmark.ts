import type { Benchmark } from "../benchmark.ts";
import { onEachEngine } from "../engine/each-engine.ts";
import { benchAccept } from "./accept.ts";
import { benchHistory } from "./history.ts";

export const storeBenchmark: Benchmark = {
  name: "store",
  summary: "durable accepts compared with the bare database; accept and settle on a long log",
  run: (options) => onEachEngine(options, [benchAccept, benchHistory]),
};
