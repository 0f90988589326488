import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { LaneEvent } from "../../src/kernel/event.ts";
import { createRuntime } from "../../src/runtime/runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { audit } from "../store/audit.ts";
import type { Plan } from "./soak/job.ts";
import { startWorker } from "./soak/worker-process.ts";
import type { WorkerProcess } from "./soak/worker-process.ts";
import { described } from "./support/place.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

// Runtimes in processes of their own, which really die.

const sender = {
  name: "sender",
  run: () => {
    throw new Error("this runtime only sends");
  },
};

test("R3 L4 a run that kills its process ends as crashLoop after 3 attempts, its neighbours complete", async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "holdfast.db");
  const effectsFile = join(folder, "effects");
  const before = await createRuntime({ store: file, agent: sender, maxRuns: 0 });
  const neighbours = ["left", "right", "poison"];
  for (const sessionId of ["poison", "left", "right"]) {
    await before.createSession({ sessionId, directory: "/project" });
  }
  await prompt(before, {
    sessionId: "poison",
    promptId: "a",
    plan: { steps: 1, calls: [], kills: true },
  });
  for (const sessionId of neighbours) {
    await prompt(before, { sessionId, promptId: "b", plan: { steps: 2, calls: ["read"] } });
  }
  await before.close();

  let deaths = 0;
  for (;;) {
    const store = { kind: "sqlite", file } as const;
    const worker = startWorker({ store, effectsFile, leaseTtl: 2_000, aim: null });
    const rest = worker.ready
      .then(() => worker.rest())
      .then(
        () => "rest" as const,
        () => "dead" as const,
      );
    if ((await rest) === "rest") {
      worker.close();
      assert.equal((await worker.dead).how, "0");
      break;
    }
    assert.equal((await worker.dead).how, "SIGKILL");
    deaths += 1;
    assert.ok(deaths <= 3, "a poisonous run was begun more than three times");
  }
  const after = await createRuntime({ store: file, agent: sender, maxRuns: 0 });
  const outcomes: string[] = [];
  for (const [sessionId, promptId] of [["poison", "a"], ...neighbours.map((id) => [id, "b"])]) {
    const row = await after.store.prompt(sessionId ?? "", promptId ?? "");
    outcomes.push(described(row?.outcome ?? null));
  }
  const problems = await audit(after.store);
  await after.close();
  assert.deepEqual(
    { deaths, outcomes, problems },
    {
      deaths: 3,
      outcomes: ["failed: crashLoop", "completed", "completed", "completed"],
      problems: [],
    },
  );
});

test("C5 L5 R1 two processes on one PostgreSQL: a third one cancels, and a dead one's run continues", async (t) => {
  const folder = temporaryFolder(t);
  const effectsFile = join(folder, "effects");
  writeFileSync(effectsFile, "");
  const server = await sharedPostgres();
  t.after(() => server.stop());
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url, connections: 3 });
  const holdfast = await createRuntime({ store, agent: sender, maxRuns: 0 });
  const job = {
    store: { kind: "postgres", url },
    effectsFile,
    leaseTtl: 1_000,
    aim: null,
  } as const;
  const workers = [startWorker(job), startWorker(job)];
  try {
    await Promise.all(workers.map(({ ready }) => ready));
    const wait: Plan = { steps: 2, calls: ["wait"] };
    await holdfast.createSession({ sessionId: "main", directory: "/project" });

    await prompt(holdfast, { sessionId: "main", promptId: "a", plan: wait });
    await seen(holdfast, (event) => event.type === "step.answered");
    await holdfast.cancel({ sessionId: "main" });
    const first = await holdfast.wait({ sessionId: "main", promptId: "a" });
    assert.equal(described(first?.outcome ?? null), "cancelled: sessionCancel");
    const ended = await seen(holdfast, (event) => event.type === "run.ended");
    assert.equal(ended.type === "run.ended" ? ended.attempt : 0, 1, "its owner has ended it");

    await prompt(holdfast, { sessionId: "main", promptId: "b", plan: wait });
    const started = await seen(
      holdfast,
      (event) => event.type === "run.started" && event.promptId === "b",
    );
    const runId = started.type === "run.started" ? started.runId : "";
    await seen(holdfast, (event) => event.type === "step.answered" && event.runId === runId);
    const [victim, survivor] = await ownerFirst(workers);
    victim.kill();
    await seen(holdfast, (event) => event.type === "run.resumed" && event.runId === runId);
    await holdfast.prompt({ sessionId: "main", promptId: "c", text: "plain" });
    await holdfast.cancel({ sessionId: "main", scope: { kind: "prompt", promptId: "b" } });
    const rows = await Promise.all(
      ["b", "c"].map((promptId) => holdfast.wait({ sessionId: "main", promptId })),
    );
    assert.deepEqual(
      rows.map((row) => described(row?.outcome ?? null)),
      ["cancelled: promptCancel", "completed"],
    );
    survivor.close();
    assert.equal((await survivor.dead).how, "0");
    assert.deepEqual(await audit(store), []);
  } finally {
    for (const worker of workers) worker.kill();
    await Promise.all(workers.map(({ dead }) => dead));
    await holdfast.close();
    await store.close();
  }
});

/** The worker in whose process the call waits, and the other one. */
async function ownerFirst(
  workers: readonly WorkerProcess[],
): Promise<[WorkerProcess, WorkerProcess]> {
  const [left, right] = workers;
  assert(left !== undefined && right !== undefined);
  const first = await Promise.race([
    left.entered("tool").then(() => left),
    right.entered("tool").then(() => right),
  ]);
  return first === left ? [left, right] : [right, left];
}

async function prompt(
  holdfast: Runtime,
  wanted: { sessionId: string; promptId: string; plan: Plan },
): Promise<void> {
  const { sessionId, promptId, plan } = wanted;
  await holdfast.prompt({ sessionId, promptId, text: JSON.stringify(plan) });
}

async function seen(holdfast: Runtime, matches: (event: LaneEvent) => boolean): Promise<LaneEvent> {
  for await (const event of holdfast.events({ sessionId: "main" }))
    if (matches(event)) return event;
  throw new Error("the events of a session do not end");
}

function temporaryFolder(t: TestContext): string {
  const folder = scratchFolder(t, "processes");
  return folder;
}
