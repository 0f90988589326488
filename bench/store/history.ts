import type { Store } from "../../packages/holdfast/src/store/store.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { openPlace } from "../engine/engines.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant } from "../measure/alternate.ts";
import { compareCosts } from "../measure/compare.ts";
import { costTargets } from "../measure/cost-targets.ts";
import { drive } from "../measure/drive.ts";
import { createSession, joinBench, promptRequest, send, settle } from "./lane-commands.ts";

/** Measures how long it takes to accept a prompt and to record its outcome, after a short and after a long log. */
export async function benchHistory(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const lengths = options.quick ? [10, 100, 1_000] : [10, 1_000, 100_000];
  const stores: Store[] = [];
  try {
    options.progress(`logs of ${lengths.join(", ")} events`);
    const contestants: Contestant[] = [];
    for (const length of lengths) {
      // Use one store per log length, so that the result includes costs that grow with the size of the store.
      const store = await openPlace(await engine.newPlace());
      stores.push(store);
      await joinBench(store);
      contestants.push(await withHistory(store, length));
    }
    options.progress("accept and settle after each, alternately");
    const schedule = options.quick ? { slices: 2, sliceMs: 20 } : { slices: 16, sliceMs: 250 };
    const measured = await alternate(contestants, schedule);
    const figures = compareCosts(measured, nameOf(10)).map((figure) => ({
      engine: engine.name,
      group: "accept and settle by length of the log",
      ...figure,
    }));
    const targets = costTargets(figures, {
      engine: engine.name,
      series: ["accept", "settle"],
      largest: nameOf(lengths.at(-1) ?? 0),
      label: "cost of",
      atMost: 1.5,
    });
    return { figures, targets };
  } finally {
    for (const store of stores) await store.close();
  }
}

function nameOf(length: number): string {
  return `${length.toLocaleString("en-US")} events`;
}

async function withHistory(store: Store, length: number): Promise<Contestant> {
  // Each measurement makes the log longer. Above this length, continue with another session.
  const longest = Math.ceil(length * 1.5) + 20;
  let session = { sessionId: await buildHistory(store, length), seq: length };
  return {
    name: nameOf(length),
    round: async () => {
      if (session.seq > longest)
        session = { sessionId: await buildHistory(store, length), seq: length };
      const { sessionId } = session;
      const request = promptRequest(sessionId);
      const accept = await drive({
        series: "accept",
        operations: [() => send(store, request)],
        writers: 1,
      });
      const ended = await drive({
        series: "settle",
        operations: [() => settle(store, sessionId)],
        writers: 1,
      });
      session = { sessionId, seq: (await store.lane(sessionId))?.seq ?? 0 };
      return [accept, ended];
    },
  };
}

/**
 * Creates a session with a log of at least `length` events. Its prompts need no reply, so one transaction accepts and
 * completes each prompt.
 */
async function buildHistory(store: Store, length: number): Promise<string> {
  const sessionId = await createSession(store);
  const add = async (): Promise<number> => {
    const { state } = await send(store, promptRequest(sessionId, { reply: false }));
    return state.seq;
  };
  let seq = await add();
  const perMessage = seq - 1;
  while (seq < length) {
    const missing = Math.ceil((length - seq) / perMessage);
    const seqs = await Promise.all(Array.from({ length: Math.min(missing, 512) }, add));
    seq = Math.max(...seqs);
  }
  return sessionId;
}
