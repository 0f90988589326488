import type { Store } from "../../packages/holdfast/src/store/store.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { openPlace } from "../engine/engines.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant, Measured } from "../measure/alternate.ts";
import { compare } from "../measure/compare.ts";
import { drive } from "../measure/drive.ts";
import { ratesOf } from "../measure/statistics.ts";
import {
  createSession,
  joinBench,
  promptRequest,
  send,
  settleInOneStep,
} from "../store/lane-commands.ts";
import { instantAgent } from "./instant-agent.ts";
import { ask, openRuntime, openSession } from "./runtime.ts";

/** So few run slots that most sessions wait for one. */
const fewPlaces = 8;

/**
 * Compares the time of a prompt through the runner with the time to write its five commits (accept, start, step,
 * answer, end) directly to a store.
 */
export async function benchThroughput(
  engine: Engine,
  options: BenchmarkOptions,
): Promise<Findings> {
  const many = options.quick ? 20 : 500;
  options.progress(`prompts on 1 and ${many} sessions, alternately with the store only`);
  const store = await openPlace(await engine.newPlace());
  const open = async (maxRuns: number): ReturnType<typeof openRuntime> =>
    openRuntime({ place: await engine.newPlace(), agent: instantAgent, maxRuns });
  const wide = await open(many);
  const narrow = await open(fewPlaces);
  try {
    await joinBench(store);
    const alone = await storeSessions(store, many);
    const wideSessions = await sessionsOf(() => openSession(wide), many);
    const narrowSessions = await sessionsOf(() => openSession(narrow), many);
    const names = {
      storeOne: "store alone, 1 session",
      one: "runner, 1 session",
      storeMany: `store alone, ${many} sessions`,
      many: `runner, ${many} sessions`,
      few: `runner, ${many} sessions, ${fewPlaces} places`,
    };
    const contestants: Contestant[] = [
      contestant(names.storeOne, alone.slice(0, 1)),
      contestant(
        names.one,
        wideSessions.slice(0, 1).map((id) => () => ask(wide, id, text)),
      ),
      contestant(names.storeMany, alone),
      contestant(
        names.many,
        wideSessions.map((id) => () => ask(wide, id, text)),
      ),
      contestant(
        names.few,
        narrowSessions.map((id) => () => ask(narrow, id, text)),
      ),
    ];
    const schedule = options.quick ? { slices: 3, sliceMs: 25 } : { slices: 8, sliceMs: 400 };
    const measured = await alternate(contestants, schedule);
    const references: Record<string, string[]> = {
      [names.one]: [names.storeOne],
      [names.many]: [names.storeMany],
      [names.few]: [names.storeMany],
    };
    const figures = compare(measured, references).map((figure) => ({
      engine: engine.name,
      group: "prompts from accept to outcome",
      ...figure,
      values: { ...figure.values, ...overhead(measured, figure.name, references) },
    }));
    return { figures, targets: [] };
  } finally {
    await wide.close();
    await narrow.close();
    await store.close();
  }
}

const text = "please look at the failing test and mend it; ".repeat(5);

/**
 * Creates a contestant. One round sends one prompt to each session in parallel; with a single session, several prompts
 * in sequence.
 */
function contestant(name: string, prompts: readonly (() => Promise<void>)[]): Contestant {
  const [only] = prompts;
  const operations = prompts.length === 1 && only ? Array.from({ length: 8 }, () => only) : prompts;
  const writers = prompts.length;
  return { name, round: async () => [await drive({ series: "prompt", operations, writers })] };
}

async function storeSessions(store: Store, count: number): Promise<(() => Promise<void>)[]> {
  const sessions = await sessionsOf(() => createSession(store), count);
  return sessions.map((sessionId) => async () => {
    await send(store, promptRequest(sessionId));
    await settleInOneStep(store, sessionId);
  });
}

function sessionsOf(create: () => Promise<string>, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, create));
}

/** Returns the processor time that a prompt needs in addition to the time of the store. */
function overhead(
  measured: readonly Measured[],
  name: string,
  references: Readonly<Record<string, readonly string[]>>,
): Record<string, number> {
  const entry = measured.find((candidate) => candidate.name === name);
  const other = measured.find((candidate) => candidate.name === references[name]?.[0]);
  if (entry === undefined || other === undefined) return {};
  return { overheadCpuMs: ratesOf(entry).cpuMs - ratesOf(other).cpuMs };
}
