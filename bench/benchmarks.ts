import { agentBenchmark } from "./agent/agent-benchmark.ts";
import type { Benchmark } from "./benchmark.ts";
import { growthBenchmark } from "./growth/growth-benchmark.ts";
import { hostedBenchmark } from "./hosted/hosted-benchmark.ts";
import { peersBenchmark } from "./peers/peers-benchmark.ts";
import { runnerBenchmark } from "./runner/runner-benchmark.ts";
import { serverBenchmark } from "./server/server-benchmark.ts";
import { storeBenchmark } from "./store/store-benchmark.ts";
import { terminalBenchmark } from "./terminal/terminal-benchmark.ts";
import { webBenchmark } from "./web/web-benchmark.ts";
import { workspaceBenchmark } from "./workspace/workspace-benchmark.ts";

export const benchmarks: readonly Benchmark[] = [
  storeBenchmark,
  runnerBenchmark,
  agentBenchmark,
  hostedBenchmark,
  serverBenchmark,
  workspaceBenchmark,
  webBenchmark,
  terminalBenchmark,
  peersBenchmark,
  growthBenchmark,
];
