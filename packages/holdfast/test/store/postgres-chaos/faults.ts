import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { activeRun } from "../../../src/kernel/state.ts";
import { waitFor } from "../../support/wait-for.ts";
import { runChaos } from "./chaos.ts";
import type { Chaos } from "./chaos.ts";
import type { Proxy } from "./proxy.ts";
import type { Told } from "./told.ts";
import { restartWorker } from "./workers.ts";
import type { Worker } from "./workers.ts";

const ttl = 1_000;
const workers = 3;
const clients = 4;

/**
 * Kills, freezes and cuts off three processes while clients send prompts, and checks that nothing is lost and no
 * answer is wrong.
 */
export async function surviveFaults(
  t: TestContext,
  options: {
    /** Number of prompts that each client sends. */
    readonly prompts: number;
    /** Number of faults. After 12 faults, each process has had each of the four kinds. */
    readonly faults: number;
  },
): Promise<void> {
  const { prompts, faults } = options;
  const result = await runChaos(
    {
      source: join(import.meta.dirname, "../../../src"),
      workers,
      restWithin: 60_000,
      load: { clients, prompts, sessions: 24, lanes: 64, steps: 2, calls: 2, ttl },
    },
    (chaos) => torment(chaos, faults),
  );
  t.diagnostic(
    `${result.prompts} prompts, ${result.events.length} events, ${result.cuts} cut commits`,
  );
  assert.deepEqual(result.violations, []);
  assert.ok(result.prompts >= workers * clients * prompts - 5, "all prompts were accepted");
  assert.ok(result.cuts >= 10, "commits were cut off");
  const count = (type: string): number =>
    result.events.filter((event) => event.type === type).length;
  assert.ok(count("run.resumed") > 0, "runs were taken over");
  assert.ok(isFenced(result.told), "zombies wrote, and were fenced off");
}

function isFenced(told: readonly Told[]): boolean {
  return told.some((each) => each.kind === "refused" && each.code === "fenced");
}

/** Causes one of four faults in one process after the other. */
async function torment(chaos: Chaos, faults: number): Promise<void> {
  for (const proxy of chaos.proxies) proxy.cutCommits(0.01);
  const torments = [cutCommits, freeze, kill, cutConnections];
  for (let round = 0; round < faults; round += 1) {
    const index = round % chaos.workers.length;
    const worker = chaos.workers[index];
    const proxy = chaos.proxies[index];
    if (worker === undefined || proxy === undefined) return;
    await torments[round % torments.length]?.({ chaos, worker, proxy });
    await delay(100 + Math.random() * 200);
  }
  // A process that had no write in progress when it was frozen is not fenced: try again.
  for (const worker of chaos.workers) {
    if (!isFenced(chaos.told())) await freeze({ chaos, worker });
  }
}

interface Target {
  readonly chaos: Chaos;
  readonly worker: Worker;
  readonly proxy: Proxy;
}

async function cutCommits({ worker, proxy }: Target): Promise<void> {
  const enough = proxy.cuts() + 8;
  proxy.cutCommits(0.3);
  // More commits can be cut as long as the worker sends requests.
  await waitFor(() => ({ cuts: proxy.cuts(), sent: worker.sent }), {
    describe: `${enough} cut commits, or a worker that has sent everything`,
    until: ({ cuts, sent }) => cuts >= enough || sent,
    limit: 120_000,
  });
  proxy.cutCommits(0.01);
}

/**
 * Freezes the worker beyond the end of its lease while it owns a run, so that others take over the run while the
 * worker still acts as its owner.
 */
async function freeze({ chaos, worker }: Pick<Target, "chaos" | "worker">): Promise<void> {
  await waitFor(
    async () => {
      await chaos.sendMore();
      worker.process.kill("SIGSTOP");
      const runs = await ownedRuns(chaos, worker);
      if (runs === 0) worker.process.kill("SIGCONT");
      return runs;
    },
    { describe: `a run of ${worker.options.name}`, limit: 60_000 },
  );
  await delay(ttl * 1.6);
  worker.process.kill("SIGCONT");
}

/** Counts the active runs whose owner is the present process of this worker or one before it. */
async function ownedRuns({ store }: Chaos, worker: Worker): Promise<number> {
  const sessions = await store.sessions({ after: null, limit: 10_000 });
  const states = await Promise.all(sessions.map((sessionId) => store.lane(sessionId)));
  return states.filter(
    (state) =>
      state !== null && activeRun(state)?.owner?.startsWith(`${worker.options.name}-`) === true,
  ).length;
}

async function kill({ worker }: Target): Promise<void> {
  await restartWorker(worker);
}

async function cutConnections({ proxy }: Target): Promise<void> {
  proxy.cutAll();
}
