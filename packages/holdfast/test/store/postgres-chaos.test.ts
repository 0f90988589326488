import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { runChaos } from "./postgres-chaos/chaos.ts";
import type { Chaos } from "./postgres-chaos/chaos.ts";
import { restartWorker } from "./postgres-chaos/workers.ts";

const ttl = 1_000;

test("P1 P2 L1 L5 C4 T2: processes are killed, frozen and cut off, and nothing is lost or told wrongly", async (t) => {
  const result = await runChaos(
    {
      source: join(import.meta.dirname, "../../src"),
      workers: 3,
      restWithin: 60_000,
      load: { clients: 4, prompts: 90, sessions: 24, lanes: 8, steps: 2, calls: 2, ttl },
    },
    torment,
  );
  t.diagnostic(
    `${result.prompts} prompts, ${result.events.length} events, ${result.cuts} cut commits`,
  );
  assert.deepEqual(result.violations, []);
  assert.ok(result.prompts >= 1_000, "all prompts were accepted");
  assert.ok(result.cuts > 20, "commits were cut off");
  const count = (type: string): number =>
    result.events.filter((event) => event.type === type).length;
  assert.ok(count("run.resumed") > 0, "runs were taken over");
  assert.ok(
    result.told.some((told) => told.kind === "refused" && told.code === "fenced"),
    "zombies wrote, and were fenced off",
  );
});

async function torment(chaos: Chaos): Promise<void> {
  for (const proxy of chaos.proxies) proxy.cutCommits(0.01);
  const end = performance.now() + 14_000;
  for (let round = 0; performance.now() < end; round += 1) {
    const index = round % chaos.workers.length;
    const worker = chaos.workers[index];
    const proxy = chaos.proxies[index];
    if (worker === undefined || proxy === undefined) return;
    switch (Math.floor(Math.random() * 4)) {
      case 0:
        await restartWorker(worker);
        break;
      case 1:
        // Past its lease, so that others take its runs over while it still believes that it has them.
        worker.process.kill("SIGSTOP");
        await delay(ttl * 1.8);
        worker.process.kill("SIGCONT");
        break;
      case 2:
        proxy.cutAll();
        break;
      default:
        proxy.cutCommits(0.3);
        await delay(200);
        proxy.cutCommits(0.01);
    }
    await delay(200 + Math.random() * 300);
  }
}
