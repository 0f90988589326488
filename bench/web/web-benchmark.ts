import { openWebServer } from "../../packages/web/test/support/web-server.ts";
import type { WebServer } from "../../packages/web/test/support/web-server.ts";
import type { Benchmark, BenchmarkOptions, Findings } from "../benchmark.ts";
import { benchOpening } from "./opening.ts";
import { benchStreaming } from "./streaming.ts";

export const webBenchmark: Benchmark = {
  name: "web",
  summary: "the web page: opening a long session, and streaming an answer",
  run: async (options) => {
    const server = await openWebServer();
    try {
      const parts = [benchOpening, benchStreaming] satisfies readonly WebBenchmark[];
      const found: Findings[] = [];
      for (const part of parts) found.push(await part(server, options));
      return {
        figures: found.flatMap(({ figures }) => figures),
        targets: found.flatMap(({ targets }) => targets),
      };
    } finally {
      await server.close();
    }
  },
};

export type WebBenchmark = (server: WebServer, options: BenchmarkOptions) => Promise<Findings>;
