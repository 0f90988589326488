import { setTimeout } from "node:timers/promises";
import { connect } from "@holdfast/sdk";
import type { BenchmarkOptions, Figure, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { startChild } from "./child.ts";
import type { HoldfastReady } from "./holdfast-process.ts";

/** Measures the memory of a server before and after many prompts, and after an idle time. */
export async function benchMemoryAfterWork(
  engine: Engine,
  options: BenchmarkOptions,
): Promise<Findings> {
  const { sessions, prompts, rest } = options.quick
    ? { sessions: 4, prompts: 20, rest: 100 }
    : // The search index is written in the first 10 s of the rest, with PostgreSQL in the first 30 s. Memory is returned
      // after 5 s without work.
      { sessions: 64, prompts: 24_000, rest: 45_000 };
  const work = `${prompts.toLocaleString("en-US")} prompts on ${sessions} sessions`;
  options.progress(`memory after ${work}`);
  const server = await startChild<HoldfastReady>("holdfast-process.ts", await engine.newPlace());
  const figure = async (name: string): Promise<Figure> => ({
    engine: engine.name,
    group: "memory and work",
    name,
    values: await server.memoryNow(),
    ratios: [],
  });
  try {
    const holdfast = connect(server.ready);
    const figures = [await figure("started")];
    const send = async (): Promise<void> => {
      const session = await holdfast.sessions.create({ directory: "/tmp" });
      for (let sent = 0; sent < prompts / sessions; sent += 1) {
        const prompt = await session.prompt("hello");
        await prompt.settled();
      }
    };
    await Promise.all(Array.from({ length: sessions }, send));
    figures.push(await figure(`after ${work}`));
    await setTimeout(rest);
    figures.push(await figure(`after ${rest / 1000} s at rest`));
    return { figures, targets: [] };
  } finally {
    await server.stop();
  }
}
