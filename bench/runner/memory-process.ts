import type { Agent } from "../../packages/holdfast/src/agent/agent.ts";
import type { Place } from "../engine/engine.ts";
import { readingText } from "./instant-agent.ts";
import { ask, openRuntime, openSession } from "./runtime.ts";

// Child process of memory.ts: receives a job and prints the memory samples as JSON.

export interface MemoryJob {
  readonly place: Place;
  readonly idle: number;
  readonly active: number;
}

export interface MemorySample {
  readonly name: string;
  readonly lanes: number;
  readonly rssMb: number;
  readonly heapMb: number;
}

/** Prompts with this text keep their run active until the end of the measurement. */
const lastingText = "work until you are told to stop";

const job: MemoryJob = JSON.parse(process.argv[2] ?? "");
let working = 0;
const allWork = Promise.withResolvers<void>();
const stop = Promise.withResolvers<void>();
const agent: Agent = {
  name: "lasting",
  async *run(context) {
    await context.boundary();
    await context.conversation();
    if (context.prompts.some(({ text }) => text === lastingText)) {
      working += 1;
      if (working === job.active) allWork.resolve();
      await stop.promise;
    }
    yield { type: "answer", text: "done" };
  },
};

const { place, idle, active } = job;
const holdfast = await openRuntime({ place, agent, maxRuns: active });
const samples = [sample("nothing", 0)];
await inParallel(idle, async () => ask(holdfast, await openSession(holdfast), readingText));
samples.push(sample(`${idle.toLocaleString("en-US")} idle lanes`, idle));
const sessions = await Promise.all(Array.from({ length: active }, () => openSession(holdfast)));
const asked = sessions.map((sessionId) => ask(holdfast, sessionId, lastingText));
await allWork.promise;
samples.push(sample(`and ${active.toLocaleString("en-US")} active ones`, idle + active));
stop.resolve();
await Promise.all(asked);
await holdfast.close();
console.log(JSON.stringify(samples));

function sample(name: string, lanes: number): MemorySample {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const mb = 1024 * 1024;
  return { name, lanes, rssMb: rss / mb, heapMb: heapUsed / mb };
}

async function inParallel(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: 100 }, worker));
}
