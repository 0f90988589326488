import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { waitFor } from "../../support/wait-for.ts";
import { runChaos } from "./chaos.ts";
import type { Chaos } from "./chaos.ts";
import type { Proxy } from "./proxy.ts";
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
  assert.ok(
    result.told.some((told) => told.kind === "refused" && told.code === "fenced"),
    "zombies wrote, and were fenced off",
  );
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
    await torments[round % torments.length]?.(worker, proxy);
    await delay(100 + Math.random() * 200);
  }
}

async function cutCommits(worker: Worker, proxy: Proxy): Promise<void> {
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
 * Freezes the worker beyond the end of its lease, so that others take over its runs while it still acts as their
 * owner.
 */
async function freeze(worker: Worker): Promise<void> {
  worker.process.kill("SIGSTOP");
  await delay(ttl * 1.6);
  worker.process.kill("SIGCONT");
}

async function kill(worker: Worker): Promise<void> {
  await restartWorker(worker);
}

async function cutConnections(_: Worker, proxy: Proxy): Promise<void> {
  proxy.cutAll();
}
