import { acceptRequest } from "../../packages/holdfast/src/runner/prompt.ts";
import { activityViews } from "../../packages/holdfast/src/runtime/views/activity.ts";
import { timelineViews } from "../../packages/holdfast/src/runtime/views/timeline.ts";
import { searchViews } from "../../packages/holdfast/src/runtime/views/search.ts";
import type { SearchQuery } from "../../packages/holdfast/src/runtime/views/search.ts";
import type { Store } from "../../packages/holdfast/src/store/store.ts";
import { target } from "../benchmark.ts";
import type { BenchmarkOptions, Figure, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { openPlace } from "../engine/engines.ts";
import { quantile } from "../measure/statistics.ts";
import { createSession, newId, send } from "../store/lane-commands.ts";
import { fillSessions } from "./fill.ts";

const highest = 100;

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
  const indexed = performance.now() - start;
  if (engine.name === "postgres") await filling.compact();
  await filling.close();
  const store = await openPlace(place);
  try {
    const views = searchViews(store);
    const figures: Figure[] = [
      {
        engine: engine.name,
        group,
        name: "index a message",
        values: { meanMs: indexed / messages },
        ratios: [],
      },
    ];
    const rounds = options.quick ? 5 : 50;
    for (const [name, query] of Object.entries(queries(messages))) {
      const times = await timesOf(rounds, (round) =>
        views.search({ directories: null, after: null, limit: 20, ...query(round) }),
      );
      figures.push(figureOf({ engine: engine.name, group, name, times }));
    }
    return { figures, targets: targetsOf(figures) };
  } finally {
    await store.close();
  }
}

/** Measures the summary of the health page, and the timeline of the server, in a store with many sessions. */
export async function benchActivity(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const sessions = options.quick ? 100 : 10_000;
  const group = `activity of ${sessions.toLocaleString("en-US")} sessions`;
  options.progress(`a store for the ${group}`);
  const store = await openPlace(await engine.newPlace());
  try {
    await fillSessions(store, sessions);
    const views = activityViews(store);
    const query = { reach: 24 * 3_600_000, slices: 60, directories: null };
    const start = performance.now();
    await views.readActivity(60_000);
    const values = { ms: performance.now() - start };
    const name = "read the log in advance";
    const advance: Figure = { engine: engine.name, group, name, values, ratios: [] };
    const [first = 0] = await timesOf(1, () => views.activity(query));
    const firstFigure = figureOf({
      engine: engine.name,
      group,
      name: "first summary",
      times: [first],
    });
    const times = await timesOf(options.quick ? 5 : 50, () => views.activity(query));
    const figure = figureOf({ engine: engine.name, group, name: "summary", times });
    const timelines = timelineViews(store);
    const read = await timesOf(options.quick ? 5 : 50, () =>
      timelines.timeline({ latest: 24, directories: null }),
    );
    const events = figureOf({ engine: engine.name, group, name: "server timeline", times: read });
    const timed = [firstFigure, figure, events];
    return { figures: [advance, ...timed], targets: targetsOf(timed) };
  } finally {
    await store.close();
  }
}

function figureOf(measured: {
  engine: Figure["engine"];
  group: string;
  name: string;
  times: readonly number[];
}): Figure {
  const { engine, group, name, times } = measured;
  const sorted = times.toSorted((left, right) => left - right);
  const values = { p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
  return { engine, group, name, values, ratios: [] };
}

function targetsOf(figures: readonly Figure[]): Findings["targets"] {
  return figures.flatMap(({ engine, group, name, values: { p95Ms: value } }) =>
    value === undefined
      ? []
      : [target({ engine, name: `p95 of ${name}, ${group}`, bound: { atMost: highest }, value })],
  );
}

async function timesOf(
  rounds: number,
  operation: (round: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await operation(round);
    times.push(performance.now() - start);
  }
  return times;
}

type Query = (round: number) => Partial<SearchQuery> & Pick<SearchQuery, "words">;

function queries(messages: number): Readonly<Record<string, Query>> {
  const sessions = Math.ceil(messages / perSession);
  return {
    "common word": () => ({ words: "test" }),
    "rare word": (round) => ({ words: `rare${round * 7}` }),
    "two common words": () => ({ words: "test server" }),
    "word of two characters": () => ({ words: "会话" }),
    "four characters": () => ({ words: "会话管理" }),
    identifier: (round) => ({ words: `readFile${round % 100}` }),
    "part of an identifier": () => ({ words: "MAX_RETRY" }),
    "common word in one session": (round) => ({
      words: "test",
      sessionId: `found-${(round * 7_919) % sessions}`,
    }),
    "no match": () => ({ words: "nosuchword" }),
    "two words that never meet": () => ({ words: "evenword oddword" }),
  };
}

const perSession = 100;
const common =
  "please fix the failing test in the server and add a check for the config file before the next release".split(
    " ",
  );
const chinese = ["删除会话管理器", "修复失败的测试", "更新索引和搜索", "添加新的配置项"];

function textOf(index: number): string {
  const words = Array.from(
    { length: 20 },
    (_, place) => common[(index * 7 + place * 3) % common.length],
  );
  const some = `${words.join(" ")} rare${index} w${index % 5_000} ${index % 2 === 0 ? "evenword" : "oddword"}`;
  if (index % 5 === 0) return `${some} ${chinese[(index / 5) % chinese.length] ?? ""}`;
  return index % 5 === 1 ? `${some} fs.readFile${index % 100}Sync(MAX_RETRY_COUNT)` : some;
}

async function fillMessages(store: Store, count: number): Promise<void> {
  const limits = { maxQueue: 10_000, maxBytes: 1_000_000, draining: false };
  const actor = { kind: "client", id: "bench" } as const;
  for (let first = 0; first < count; first += perSession) {
    const sessionId = await createSession(store, `found-${first / perSession}`);
    const requests = Array.from({ length: Math.min(perSession, count - first) }, (_, place) =>
      acceptRequest(
        { sessionId, promptId: newId("prompt"), text: textOf(first + place), actor, reply: false },
        { limits },
      ),
    );
    await Promise.all(requests.map((request) => send(store, request)));
  }
}
