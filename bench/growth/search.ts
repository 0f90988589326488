import { startIndexing } from "../../packages/holdfast/src/compose/indexing.ts";
import { searchViews } from "../../packages/holdfast/src/runtime/views/search.ts";
import type { SearchQuery } from "../../packages/holdfast/src/runtime/views/search.ts";
import type { Store } from "../../packages/holdfast/src/store/store.ts";
import type { BenchmarkOptions, Figure, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { openPlace } from "../engine/engines.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant, Timed } from "../measure/alternate.ts";
import { compareCosts } from "../measure/compare.ts";
import { costTargets } from "../measure/cost-targets.ts";
import { drive } from "../measure/drive.ts";
import { createSession, send } from "../store/lane-commands.ts";
import { latencyFigures, latencyTargets, measure } from "./latency.ts";
import { fillMessages, messageRequest, perSession } from "./messages.ts";

/** Measures full-text searches over many messages in English, Chinese and code. */
export async function benchSearch(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const messages = options.quick ? 500 : options.full ? 1_000_000 : 50_000;
  const group = `search over ${messages.toLocaleString("en-US")} messages`;
  const place = await engine.newPlace();
  const filling = await openPlace(place);
  options.progress(`a store for the ${group}`);
  await fillMessages(filling, messages);
  options.progress("indexing");
  const start = performance.now();
  await searchViews(filling).indexTexts(24 * 3_600_000);
  const meanMs = (performance.now() - start) / messages;
  if (engine.name === "postgres") await filling.compact();
  await filling.close();
  const store = await openPlace(place);
  const of = { engine: engine.name, group };
  try {
    options.progress("searches");
    const searches = await measureSearches(store, { messages, rounds: options.quick ? 5 : 50 });
    const figures = latencyFigures(searches, of);
    options.progress("accepts with and without indexing, alternately");
    const accepts = (await measureAccepts(store, { quick: options.quick, messages })).map(
      (figure) => ({ ...of, ...figure }),
    );
    const indexing = { ...of, name: "index a message", values: { meanMs }, ratios: [] };
    const targets = [
      ...latencyTargets(figures.slice(1)),
      ...costTargets(accepts, {
        engine: engine.name,
        series: ["accept"],
        largest: during,
        label: "cost of",
        atMost: 1.1,
      }),
    ];
    return { figures: [...figures, indexing, ...accepts], targets };
  } finally {
    await store.close();
  }
}

async function measureSearches(
  store: Store,
  { messages, rounds }: { messages: number; rounds: number },
) {
  const views = searchViews(store);
  const bare = await measure("read 20 sessions", rounds, () =>
    store.listSessions({ limit: 20, after: null }),
  );
  const measured = [bare];
  for (const [name, query] of Object.entries(queries(messages))) {
    const search = (round: number) =>
      views.search({ directories: null, after: null, limit: 20, ...query(round) });
    measured.push(await measure(name, rounds, search));
  }
  return measured;
}

/**
 * Measures how fast the store accepts messages in two cases: while the server indexes texts every few seconds, and
 * without indexing. Both cases write to the same store, and all texts are indexed at the end.
 */
async function measureAccepts(
  store: Store,
  { quick, messages }: { quick: boolean; messages: number },
): Promise<Pick<Figure, "name" | "values" | "ratios">[]> {
  const views = searchViews(store);
  const indexTexts = (milliseconds: number) => views.indexTexts(milliseconds);
  const runtime = { store, indexTexts, readActivity: async () => true };
  const sessionId = await createSession(store);
  let last = messages;
  const accept = () => send(store, messageRequest(sessionId, (last += 1)));
  const accepting = (name: string, isIndexing: boolean): Contestant => ({
    name,
    round: async () => {
      const indexing = isIndexing ? startIndexing({ runtime, onError: fail }) : null;
      const end = performance.now() + (quick ? 20 : 8_000);
      const timed: Timed[] = [];
      while (performance.now() < end) {
        const operations = Array.from({ length: 32 }, () => accept);
        timed.push(await drive({ series: "accept", operations, writers: 1 }));
      }
      await indexing?.stop();
      await indexTexts(3_600_000);
      return timed;
    },
  });
  const measured = await alternate([accepting(without, false), accepting(during, true)], {
    slices: quick ? 2 : 4,
    sliceMs: 1,
  });
  return compareCosts(measured, without);
}

function fail(error: unknown): never {
  throw error;
}

const without = "nothing indexed";
const during = "texts indexed every 5 s";

type Query = (round: number) => Partial<SearchQuery> & Pick<SearchQuery, "words">;

function queries(messages: number): Readonly<Record<string, Query>> {
  const sessions = Math.ceil(messages / perSession);
  return {
    "common word": () => ({ words: "test" }),
    "rare word": (round) => ({ words: `rare${round * 7}` }),
    "two common words": () => ({ words: "test server" }),
    "Chinese word of two characters": () => ({ words: "会话" }),
    "Chinese word of four characters": () => ({ words: "会话管理" }),
    "one Chinese character": () => ({ words: "会" }),
    identifier: (round) => ({ words: `readFile${(round * 5 + 1) % 100}` }),
    "part of an identifier": () => ({ words: "MAX_RETRY" }),
    "common word in one session": (round) => ({
      words: "test",
      sessionId: `found-${(round * 7_919) % sessions}`,
    }),
    "common beginning of a word": () => ({ words: "rel*" }),
    "beginning of many words": () => ({ words: "rare*" }),
    "rare beginning of a word": (round) => ({ words: `rare${round * 7 + 100}*` }),
    "phrase of common words": () => ({ words: '"test server"' }),
    "phrase without a match": () => ({ words: '"server test please"' }),
    "no match": () => ({ words: "nosuchword" }),
    "two common words that never meet": () => ({ words: "evenword oddword" }),
  };
}
