import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { waitFor } from "../support/wait-for.ts";
import { activeRun } from "../../src/kernel/state.ts";
import type { LaneState } from "../../src/kernel/state.ts";
import { checkHistory } from "../kernel/support/check-history.ts";
import { person, readLog } from "./lane-client.ts";
import { runChaos } from "./postgres-chaos/chaos.ts";
import type { Chaos } from "./postgres-chaos/chaos.ts";
import { makeMutant } from "./postgres-chaos/mutant.ts";

// Without one of the protections, the chaos test must find the resulting error.

test("L5: if fencing is removed, the check finds late writes of a frozen process", async (t) => {
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
  // The lease is long, so that only the test ends it. A frozen worker's calls wait until it continues.
  const load = { clients: 3, prompts: 10, sessions: 12, lanes: 64, steps: 40, calls: 2 };
  const result = await runChaos(
    {
      source: mutant.source,
      workers: 1,
      load: { ...load, ttl: 60_000, patience: 100 },
      restWithin: 3_000,
    },
    freezeAndThaw,
  );
  const fenced = result.violations.filter((violation) => violation.includes("L5: a write"));
  t.diagnostic(`${fenced.length} late writes of ${result.violations.length} violations`);
  assert.notEqual(fenced.length, 0);
});

test("P1: if commits are retried without a lookup, the check finds answers that contradict the log", async (t) => {
  const mutant = makeMutant({
    file: "store/postgres/locked.ts",
    from: "if (happened !== null) return happened;",
    to: "",
  });
  t.after(() => mutant.remove());
  const load = { clients: 2, prompts: 30, sessions: 6, lanes: 64, steps: 3, calls: 2, ttl: 5_000 };
  const result = await runChaos(
    { source: mutant.source, workers: 1, load, restWithin: 3_000 },
    cutManyCommits,
  );
  const wrong = result.violations.filter((violation) => violation.includes("and wrote"));
  const { cuts, violations } = result;
  t.diagnostic(`${wrong.length} wrong answers of ${violations.length} violations, ${cuts} cuts`);
  assert.notEqual(wrong.length, 0);
});

/**
 * Freezes a process with all its runs, lets another process take them over without changing them, and continues the
 * frozen process. Its next write would then succeed if there were no fence. Tries again if the process had no write
 * in progress when it was frozen.
 */
async function freezeAndThaw(chaos: Chaos): Promise<void> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    if (await writesLate(chaos, `other${attempt}`)) return;
  }
}

async function writesLate(chaos: Chaos, nodeId: string): Promise<boolean> {
  const { store, workers } = chaos;
  const [worker] = workers;
  if (worker === undefined) return false;
  await store.join({ nodeId, ttl: 60_000 });
  await until(async () => (await runningLanes(chaos)).length >= 4, "four runs are active");
  worker.process.kill("SIGSTOP");
  const lanes = await runningLanes(chaos);
  const former = new Set(lanes.flatMap((state) => activeRun(state)?.owner ?? []));
  await Promise.all(Array.from(former, (each) => store.leave(each)));
  const taken = await Promise.all(lanes.map((state) => takeOver(chaos, state, nodeId)));
  worker.process.kill("SIGCONT");
  const isLate = await holdsWithin(5_000, () => hasLateWrite(chaos, taken.flat()));
  await store.leave(nodeId);
  return isLate;
}

/**
 * Takes over a lane. Returns its session id if the run was resumed, and nothing if a stopping run was settled
 * instead.
 */
async function takeOver(
  { store }: Chaos,
  { sessionId }: LaneState,
  owner: string,
): Promise<string[]> {
  const takeover = { owner, generation: null, recovery: "resume" } as const;
  const answer = await store.execute({
    command: { type: "lane.takeover", sessionId, actor: person, ...takeover },
  });
  const isResumed =
    answer.status === "done" && answer.events.some(({ type }) => type === "run.resumed");
  return isResumed ? [sessionId] : [];
}

/** Lists the lanes whose run can continue without an answer or a child. */
async function runningLanes({ store }: Chaos): Promise<LaneState[]> {
  const sessions = await store.sessions({ after: null, limit: 100 });
  const states = await Promise.all(sessions.map((id) => store.lane(id)));
  return states.flatMap((state) => {
    const run = state === null ? null : activeRun(state);
    const goesOn =
      run?.condition.status === "running" && run.children.every(({ outcome }) => outcome !== null);
    return state !== null && goesOn ? [state] : [];
  });
}

async function hasLateWrite(chaos: Chaos, lanes: readonly string[]): Promise<boolean> {
  const logs = await Promise.all(lanes.map((id) => readLog(chaos.store, id)));
  return logs.some((log) => checkHistory(log).some((problem) => problem.startsWith("L5: a write")));
}

/**
 * Cuts 15 commits, or fewer if the worker sends no more: without the protection, each wrong answer can stop a session,
 * until all sessions have stopped.
 */
async function cutManyCommits(chaos: Chaos): Promise<void> {
  for (const proxy of chaos.proxies) proxy.cutCommits(0.15);
  let last = { cuts: 0, at: performance.now() };
  await until(async () => {
    const cuts = chaos.proxies.reduce((sum, proxy) => sum + proxy.cuts(), 0);
    if (cuts > last.cuts) last = { cuts, at: performance.now() };
    return cuts >= 15 || (cuts > 0 && performance.now() > last.at + 10_000);
  }, "15 cut commits, or the end of commits");
}

async function until(holds: () => Promise<boolean>, describe: string): Promise<void> {
  await waitFor(holds, { describe, limit: 120_000 });
}

async function holdsWithin(milliseconds: number, holds: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (!(await holds())) {
    if (performance.now() > end) return false;
    await delay(10);
  }
  return true;
}
