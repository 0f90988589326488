import { target } from "../benchmark.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant } from "../measure/alternate.ts";
import { compare } from "../measure/compare.ts";
import { ratesOf } from "../measure/statistics.ts";
import { startChild } from "./child.ts";
import type { Child } from "./child.ts";
import type { FanOutJob, FanOutReady } from "./fan-out-process.ts";
import type { RawFanOutJob } from "./raw-fan-out-process.ts";
import type { ReadersJob } from "./readers-process.ts";

/** Measures sending one run's events to many readers, compared with the same bytes from a bare node:http server. */
export async function benchFanOut(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const { readers, steps } = options.quick
    ? { readers: 10, steps: 5 }
    : { readers: 200, steps: 100 };
  const names = { raw: "node:http", holdfast: "event streams" };
  options.progress(`a run's events to ${readers} readers, beside node:http, alternately`);
  const job: FanOutJob = { place: await engine.newPlace(), steps };
  const streams = await startChild<FanOutReady>("fan-out-process.ts", job);
  const children: Child<unknown>[] = [streams];
  try {
    await streams.ask("stream");
    const rawJob: RawFanOutJob = { frames: await framesOf(streams.ready.url) };
    const raw = await startChild<FanOutReady>("raw-fan-out-process.ts", rawJob);
    children.unshift(raw);
    const contestant = async (name: string, server: Child<FanOutReady>): Promise<Contestant> => {
      const readersJob: ReadersJob = { url: server.ready.url, count: readers };
      const crowd = await startChild<null>("readers-process.ts", readersJob);
      children.unshift(crowd);
      return { name, round: () => round({ server, crowd, readers }) };
    };
    const contestants = [
      await contestant(names.raw, raw),
      await contestant(names.holdfast, streams),
    ];
    // A new process compiles its code for some seconds, and the amount of code is not what is measured here.
    const schedule = options.quick
      ? { slices: 2, sliceMs: 1 }
      : { slices: 10, sliceMs: 500, warmUps: 10 };
    const measured = await alternate(contestants, schedule);
    const figures = compare(measured, { [names.holdfast]: [names.raw] }).map(
      ({ name, values, ratios }) => ({
        engine: engine.name,
        group: `events to ${readers} readers`,
        name,
        values: {
          deliveriesPerSecond: values["perSecond"] ?? Number.NaN,
          cpuMicroseconds: (values["cpuMs"] ?? Number.NaN) * 1000,
        },
        ratios,
      }),
    );
    const cpuOf = (name: string): number => {
      const entry = measured.find((candidate) => candidate.name === name);
      return entry === undefined ? Number.NaN : ratesOf(entry).cpuMs;
    };
    const rate = figures.find(({ name }) => name === names.holdfast)?.ratios[0]?.value;
    return {
      figures,
      targets: [
        target({
          engine: engine.name,
          name: `events per second to ${readers} readers, against node:http`,
          bound: { atLeast: 0.7 },
          value: rate ?? Number.NaN,
        }),
        target({
          engine: engine.name,
          name: "events per processor time, against node:http",
          bound: { atLeast: 0.7 },
          value: cpuOf(names.raw) / cpuOf(names.holdfast),
        }),
      ],
    };
  } finally {
    for (const child of children) await child.stop();
  }
}

/** Measures one run, from its prompt until the last reader has seen its end. Each event counts once per reader. */
async function round(options: {
  server: Child<FanOutReady>;
  crowd: Child<null>;
  readers: number;
}): ReturnType<Contestant["round"]> {
  const { server, crowd, readers } = options;
  const before = await server.cpu();
  const ended = crowd.ask("ended");
  const start = performance.now();
  const events = await server.ask<number>("stream");
  await ended;
  const elapsed = performance.now() - start;
  const cpu = (await server.cpu()) - before;
  const latencies = Array.from({ length: events * readers }, () => elapsed);
  return [{ series: "delivery", elapsed, cpu, latencies }];
}

/** Returns the frames that a reader of one whole run receives. */
async function framesOf(url: string): Promise<string[]> {
  const whole = url.replace("after=now", "follow=false&deltas=false");
  const text = await (await fetch(whole)).text();
  const frames = text.split("\n\n").filter((frame) => frame.startsWith("id: "));
  return frames.slice(frames.findIndex((frame) => frame.includes("event: prompt.accepted")));
}
