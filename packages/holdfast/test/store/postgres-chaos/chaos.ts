import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { startPostgres } from "../../support/postgres.ts";
import { makeCaller } from "./caller.ts";
import { checkStore } from "./check.ts";
import { acceptance, bodiesOf } from "./client.ts";
import { startProxy } from "./proxy.ts";
import type { Proxy } from "./proxy.ts";
import { readTold } from "./told.ts";
import type { Told } from "./told.ts";
import type { WorkerOptions } from "./worker.ts";
import { killWorker, startWorker } from "./workers.ts";
import type { Worker } from "./workers.ts";

export interface ChaosOptions {
  /** The source tree that the workers run. The checks always use the code of this repository. */
  readonly source: string;
  readonly workers: number;
  /** Maximum time without progress while there is work left, after the faults have ended. */
  readonly restWithin: number;
  readonly load: Pick<
    WorkerOptions,
    "clients" | "prompts" | "lanes" | "steps" | "calls" | "ttl" | "patience"
  > & {
    readonly sessions: number;
  };
}

export interface Chaos {
  readonly store: Store;
  readonly workers: readonly Worker[];
  /** One for each worker. */
  readonly proxies: readonly Proxy[];
  readonly told: () => readonly Told[];
  /** Sends one more prompt to each session, for faults that need a run. */
  readonly sendMore: () => Promise<void>;
}

export interface ChaosResult {
  readonly violations: readonly string[];
  readonly prompts: number;
  readonly events: readonly LaneEvent[];
  readonly cuts: number;
  readonly told: readonly Told[];
}

/** Runs processes on one database while `torment` causes faults, and then checks the history. */
export async function runChaos(
  options: ChaosOptions,
  torment: (chaos: Chaos) => Promise<void>,
): Promise<ChaosResult> {
  const { source, load } = options;
  const folder = mkdtempSync(join(tmpdir(), "holdfast-chaos-"));
  const server = await startPostgres({ durable: true });
  const proxies: Proxy[] = [];
  const workers: Worker[] = [];
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const url = await server.createDatabase();
    const store = await openPostgresStore({ url });
    closers.push(() => store.close());
    const follower = follow(store);
    closers.push(() => follower.stop());
    const { sessions: count, ...rest } = load;
    const sessions = Array.from({ length: count }, (_, index) => `session-${index}`);
    for (let index = 0; index < options.workers; index += 1) {
      const proxy = await startProxy(server.port);
      proxies.push(proxy);
      const name = `worker-${index}`;
      const toldFile = join(folder, `${name}.jsonl`);
      const through = url.replace(`:${server.port}/`, `:${proxy.port}/`);
      workers.push(startWorker({ source, url: through, name, toldFile, sessions, ...rest }));
    }
    const ownFile = join(folder, "test.jsonl");
    const told = (): Told[] =>
      [ownFile, ...workers.map((worker) => worker.options.toldFile)].flatMap(readTold);
    const caller = makeCaller({ store, file: ownFile, name: "test" });
    const sendMore = async (): Promise<void> => {
      const round = randomUUID();
      const accepts = sessions.map((sessionId) =>
        acceptance(sessionId, { promptId: `test-${sessionId}-${round}`, delivery: "queue" }),
      );
      await Promise.all(accepts.map((accept) => caller.insist(accept, bodiesOf(accept))));
    };
    const chaos = { store, workers, proxies, told, sendMore };
    await torment(chaos);
    for (const proxy of proxies) proxy.cutCommits(0);
    const unrest = await untilIdle(chaos, {
      limit: options.restWithin,
      progress: () => follower.count(),
    });
    for (const worker of workers) await killWorker(worker);
    const violations = await checkStore(store, told());
    const events = await follower.stop();
    const feed = await follower.violations();
    return {
      violations: [...unrest, ...violations, ...feed],
      prompts: events.filter((event) => event.type === "prompt.accepted").length,
      events,
      cuts: proxies.reduce((sum, proxy) => sum + proxy.cuts(), 0),
      told: told(),
    };
  } finally {
    for (const worker of workers) await killWorker(worker);
    for (const close of closers.toReversed()) await close();
    for (const proxy of proxies) await proxy.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Waits until all prompts are sent and all lanes are idle. Returns the work that is left, if any. */
async function untilIdle(
  chaos: Chaos,
  { limit, progress }: { limit: number; progress: () => number },
): Promise<string[]> {
  const { store, workers } = chaos;
  let seen = { events: progress(), at: performance.now() };
  while (performance.now() < seen.at + limit) {
    if (progress() > seen.events) seen = { events: progress(), at: performance.now() };
    if (workers.every((worker) => worker.sent) && (await busyLanes(store)).length === 0) return [];
    await delay(50);
  }
  return [`L3: lanes did not come to rest: ${(await busyLanes(store)).join(", ")}`];
}

async function busyLanes(store: Store): Promise<string[]> {
  const sessions = await store.sessions({ after: null, limit: 10_000 });
  const states = await Promise.all(sessions.map((sessionId) => store.lane(sessionId)));
  return states.flatMap((state) =>
    state !== null && (state.active !== null || state.queue.length > 0) ? [state.sessionId] : [],
  );
}

/** Reads the feed during the test: a late commit must not be skipped. */
function follow(store: Store): {
  count(): number;
  stop(): Promise<readonly LaneEvent[]>;
  violations(): Promise<string[]>;
} {
  const events: LaneEvent[] = [];
  const problems: string[] = [];
  let isStopping = false;
  const work = (async () => {
    let after: string | null = null;
    for (;;) {
      const wasStopping = isStopping;
      const page = await store.feed({ after, limit: 50 });
      if (page.status === "reset") {
        problems.push("T2: a cursor was reset");
        return;
      }
      after = page.cursor;
      events.push(...page.events);
      if (wasStopping && !page.more) return;
      if (!page.more) await delay(5);
    }
  })();
  return {
    count: () => events.length,
    async stop() {
      isStopping = true;
      await work;
      return events;
    },
    async violations() {
      const places = new Map<string, number>();
      for (const { sessionId, seq } of events) {
        if (seq !== (places.get(sessionId) ?? 0) + 1)
          problems.push(`T2: ${sessionId}/${seq} is out of order in the feed`);
        places.set(sessionId, seq);
      }
      for (const [sessionId, seq] of places) {
        const state = await store.lane(sessionId);
        if (state?.seq !== seq)
          problems.push(`T2: the feed ends before ${sessionId}/${state?.seq}`);
      }
      return problems;
    },
  };
}
