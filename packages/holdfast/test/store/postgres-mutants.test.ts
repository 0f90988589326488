import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { checkHistory } from "../kernel/support/check-history.ts";
import { readLog } from "./lane-client.ts";
import { runChaos } from "./postgres-chaos/chaos.ts";
import type { Chaos } from "./postgres-chaos/chaos.ts";
import { makeMutant } from "./postgres-chaos/mutant.ts";
import type { Worker } from "./postgres-chaos/workers.ts";

// The chaos must be able to fail: without one of the protections it finds what that one is there for.

test("L5: without the fence a frozen process's late writes are found", async (t) => {
  const mutant = makeMutant({
    file: "kernel/decide/run.ts",
    from: `    run.runId !== handle.runId ||
    run.attempt !== handle.attempt ||
    draft.state.fence !== handle.fence
`,
    to: `    run.runId !== handle.runId
`,
  });
  t.after(() => mutant.remove());
  const load = { clients: 3, prompts: 20, sessions: 24, lanes: 64, steps: 60, calls: 2, ttl: 700 };
  const result = await runChaos(
    { source: mutant.source, workers: 2, load, restWithin: 3_000 },
    freezeAndThaw,
  );
  const fenced = result.violations.filter((violation) => violation.includes("L5: a write"));
  t.diagnostic(`${fenced.length} late writes of ${result.violations.length} violations`);
  assert.notEqual(fenced.length, 0);
});

test("P1: with a blind retry of commits, answers that contradict the log are found", async (t) => {
  const mutant = makeMutant({
    file: "store/postgres/locked.ts",
    from: "if (rowCount === 1) return doubt;",
    to: "",
  });
  t.after(() => mutant.remove());
  const load = { clients: 2, prompts: 30, sessions: 6, lanes: 64, steps: 3, calls: 2, ttl: 5_000 };
  const result = await runChaos(
    { source: mutant.source, workers: 1, load, restWithin: 3_000 },
    cutManyCommits,
  );
  const wrong = result.violations.filter((violation) => violation.includes("and wrote"));
  t.diagnostic(`${wrong.length} wrong answers of ${result.violations.length} violations`);
  assert.notEqual(wrong.length, 0);
});

/**
 * One process is frozen with all its runs, the other takes them over and works on, then it thaws. What
 * it was about to write at that moment is chance, so they change places until one did write.
 */
async function freezeAndThaw(chaos: Chaos): Promise<void> {
  const [first, second] = chaos.workers;
  if (first === undefined || second === undefined) return;
  for (let round = 0; round < mostRounds; round += 1) {
    const [frozen, other] = round % 2 === 0 ? [first, second] : [second, first];
    const owned = await ownedLanes(chaos, { worker: frozen, least: 8 });
    frozen.process.kill("SIGSTOP");
    await until(async () => (await takenOver(chaos, { lanes: owned, by: other })) >= 4);
    frozen.process.kill("SIGCONT");
    if (await comesTrue(() => hasLateWrite(chaos, owned), 2_000)) return;
  }
}

const mostRounds = 8;

async function hasLateWrite(chaos: Chaos, lanes: readonly string[]): Promise<boolean> {
  const logs = await Promise.all(lanes.map((id) => readLog(chaos.store, id)));
  return logs.some((log) => checkHistory(log).some((problem) => problem.startsWith("L5: a write")));
}

async function cutManyCommits(chaos: Chaos): Promise<void> {
  for (const proxy of chaos.proxies) proxy.cutCommits(0.15);
  await until(async () => chaos.proxies.some((proxy) => proxy.cuts() >= 15));
}

async function ownedLanes(
  chaos: Chaos,
  wanted: { worker: Worker; least: number },
): Promise<string[]> {
  const { name } = wanted.worker.options;
  let owned: string[] = [];
  await until(async () => {
    const sessions = await chaos.store.sessions({ after: null, limit: 100 });
    const states = await Promise.all(sessions.map((id) => chaos.store.lane(id)));
    owned = states.flatMap((state) =>
      state?.active?.owner?.startsWith(`${name}-`) === true ? [state.sessionId] : [],
    );
    return owned.length >= wanted.least;
  });
  return owned;
}

/** How many of the lanes' runs the other process has gone on with. */
async function takenOver(
  chaos: Chaos,
  wanted: { lanes: readonly string[]; by: Worker },
): Promise<number> {
  const { name } = wanted.by.options;
  const logs = await Promise.all(wanted.lanes.map((id) => readLog(chaos.store, id)));
  return logs.filter((log) =>
    log.some((event) => event.type === "run.resumed" && event.owner.startsWith(`${name}-`)),
  ).length;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  if (await comesTrue(holds, 300_000)) return;
  throw new Error("what the test waits for does not happen");
}

async function comesTrue(holds: () => Promise<boolean>, within: number): Promise<boolean> {
  const end = performance.now() + within;
  while (!(await holds())) {
    if (performance.now() > end) return false;
    await delay(10);
  }
  return true;
}
