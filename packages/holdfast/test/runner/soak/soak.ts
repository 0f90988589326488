import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { waitFor } from "../../support/wait-for.ts";
import { CommandRefused } from "../../../src/runner/command-refused.ts";
import { createRuntime } from "../../../src/runtime/runtime.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { StoreError } from "../../../src/store/store-error.ts";
import type { Store } from "../../../src/store/store.ts";
import { createRandom } from "../../store/chaos/random.ts";
import type { Random } from "../../store/chaos/random.ts";
import { startPostgres } from "../../support/postgres.ts";
import { judge } from "./check.ts";
import type { Verdict } from "./check.ts";
import { points } from "./job.ts";
import type { Aim, Operation, WorkerJob } from "./job.ts";
import { startLoad } from "./load.ts";
import type { Load } from "./load.ts";
import { isAtRest } from "./rest.ts";
import { send } from "./send.ts";
import { startWorker, WorkerGone } from "./worker-process.ts";
import type { Death, Reply, WorkerProcess } from "./worker-process.ts";

export interface SoakOptions {
  readonly store: "sqlite" | "postgres";
  readonly kills: number;
  readonly seed: number;
  readonly onProgress?: (progress: { kills: number; prompts: number }) => void;
}

export interface SoakResult extends Verdict {
  readonly kills: number;
  /** Number of processes that died at each point of their work. */
  readonly diedAt: Record<string, number>;
  readonly prompts: number;
  readonly cancels: number;
}

/**
 * Kills runtimes in separate processes with -9, repeatedly, while clients send prompts, steers and cancels. All
 * acknowledged requests must be handled in the end without any help.
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-soak-"));
  const effectsFile = join(folder, "effects");
  writeFileSync(effectsFile, "");
  try {
    return options.store === "sqlite"
      ? await soakSqlite(options, { file: join(folder, "holdfast.db"), effectsFile })
      : await soakPostgres(options, effectsFile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function soakSqlite(
  options: SoakOptions,
  files: { file: string; effectsFile: string },
): Promise<SoakResult> {
  const { file, effectsFile } = files;
  const random = createRandom(options.seed);
  const job = { store: { kind: "sqlite", file }, effectsFile, leaseTtl: 5_000 } as const;
  const victim = createVictim(job, random);
  const load = startLoad({
    random: createRandom(options.seed + 1),
    sessions: 8,
    pause: 25,
    deliver: (operation) => deliverThrough(victim, operation),
  });
  try {
    const deaths: Death[] = [];
    while (deaths.length < options.kills) {
      deaths.push(await victim.die());
      options.onProgress?.({ kills: deaths.length, prompts: load.acknowledged.prompts.length });
    }
    deaths.push(...(await quieten(load, [victim])));
    await victim.leave(async () => (await victim.current()).rest());
    const store = await openSqliteStore({ file });
    try {
      const { acknowledged } = load;
      return summary(deaths, acknowledged, await judge(store, { acknowledged, effectsFile }));
    } finally {
      await store.close();
    }
  } finally {
    await victim.end();
  }
}

async function soakPostgres(options: SoakOptions, effectsFile: string): Promise<SoakResult> {
  const server = await startPostgres({ durable: true });
  const closers: (() => Promise<unknown>)[] = [() => server.stop()];
  try {
    const url = await server.createDatabase();
    const store = await openPostgresStore({ url, connections: 4 });
    closers.push(() => store.close());
    const holdfast = await createRuntime({ store, agent: nobody, maxRuns: 0, pollEvery: 10_000 });
    closers.push(() => holdfast.close());
    const random = createRandom(options.seed);
    const job = { store: { kind: "postgres", url }, effectsFile, leaseTtl: 1_000 } as const;
    const victims = [createVictim(job, random), createVictim(job, random)];
    closers.push(() => Promise.all(victims.map((victim) => victim.end())));
    const load = startLoad({
      random: createRandom(options.seed + 1),
      sessions: 8,
      pause: 30,
      deliver: (operation) => deliverTo(holdfast, operation),
    });
    const deaths: Death[] = [];
    await Promise.all(
      victims.map(async (victim) => {
        while (deaths.length < options.kills) {
          deaths.push(await victim.die());
          options.onProgress?.({ kills: deaths.length, prompts: load.acknowledged.prompts.length });
        }
      }),
    );
    deaths.push(...(await quieten(load, victims)));
    await Promise.all(victims.map((victim) => victim.leave(() => untilAtRest(store))));
    const { acknowledged } = load;
    return summary(deaths, acknowledged, await judge(store, { acknowledged, effectsFile }));
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

/** Kills each process once more after the last request: the remaining work must finish by itself. */
async function quieten(load: Load, victims: readonly Victim[]): Promise<Death[]> {
  const die = (): Promise<Death[]> => Promise.all(victims.map((victim) => victim.die("lives")));
  // A worker with an aim may die during the last operation, which only its successor answers.
  const [deaths] = await Promise.all([die(), load.stop()]);
  return [...deaths, ...(await die())];
}

/** A process that dies and is started again. */
interface Victim {
  current(): Promise<WorkerProcess>;
  /** Lets the process work for a while, kills it, and starts it again, possibly for good. */
  die(next?: "dies" | "lives"): Promise<Death>;
  /** The last process runs until `done` resolves, and then ends properly. */
  leave(done: () => Promise<unknown>): Promise<void>;
  /** Kills the process in any state, so that a failed soak leaves no process. */
  end(): Promise<void>;
}

function createVictim(job: Omit<WorkerJob, "aim">, random: Random): Victim {
  // Longer lifetimes if there are other processes: a short life would be spent waiting.
  const lifetime = job.store.kind === "sqlite" ? 400 : 1_000;
  let aim: Aim | null = inMidRun;
  let worker = startWorker({ ...job, aim });
  let next = Promise.withResolvers<WorkerProcess>();
  return {
    current: () => {
      const mine = worker;
      return mine.ready.then(
        () => mine,
        () => next.promise,
      );
    },
    die: async (fate = "dies") => {
      await worker.ready.catch(() => {});
      // A worker with an aim kills itself, unless it never reaches the point.
      const patience = new AbortController();
      const life = aim === null ? 20 + random.below(lifetime) : 2 * lifetime;
      const late = delay(life, null, { signal: patience.signal }).catch(() => null);
      // Every worker reaches the first aim sooner or later.
      const death = await (aim === inMidRun ? worker.dead : Promise.race([worker.dead, late]));
      patience.abort();
      if (death === null) worker.kill();
      const result = death ?? (await worker.dead);
      if (result.how !== "SIGKILL") throw new Error(`a worker ended with ${result.how}`);
      aim = fate === "dies" ? chooseAim(random) : null;
      worker = startWorker({ ...job, aim });
      next.resolve(worker);
      next = Promise.withResolvers();
      return result;
    },
    leave: async (done) => {
      await worker.ready;
      await done();
      worker.close();
      const { how } = await worker.dead;
      if (how !== "0") throw new Error(`the last worker ended with ${how}`);
    },
    end: async () => {
      worker.kill();
      await worker.dead;
    },
  };
}

/** Aim of the first kill of each worker, so that at least one run is interrupted. */
const inMidRun: Aim = { point: "tool", side: "during", nth: 1 };

/** About two thirds of the workers kill themselves at an exact point, the others are killed at any time. */
function chooseAim(random: Random): Aim | null {
  const point = points[random.below(points.length)];
  const side = (["before", "during", "after"] as const)[random.below(3)];
  const nth = 1 + random.below(6);
  const aimed = random.chance(0.7);
  return aimed && point !== undefined && side !== undefined ? { point, side, nth } : null;
}

async function deliverThrough(victim: Victim, operation: Operation): Promise<Reply> {
  for (;;) {
    try {
      const worker = await victim.current();
      return await worker.send(operation);
    } catch (error) {
      if (!(error instanceof WorkerGone)) throw error;
      await delay(5);
    }
  }
}

async function deliverTo(holdfast: Runtime, operation: Operation): Promise<Reply> {
  for (;;) {
    try {
      // Wait if too much work is queued: otherwise most of it would be cancelled in the end.
      await waitFor(async () => !(await isCrowded(holdfast.store, operation.sessionId)), {
        describe: `fewer prompts in ${operation.sessionId}`,
        limit: 600_000,
      });
      return { status: "acknowledged", receipt: await send(holdfast, operation) };
    } catch (error) {
      if (error instanceof CommandRefused) return { status: "refused", code: error.refusal.code };
      if (!(error instanceof StoreError) || !error.retryable) throw error;
    }
  }
}

async function isCrowded(store: Store, sessionId: string): Promise<boolean> {
  const state = await store.lane(sessionId);
  return (state?.queue.length ?? 0) >= 4;
}

async function untilAtRest(store: Store): Promise<void> {
  await waitFor(() => isAtRest(store), { describe: "a store at rest", limit: 600_000 });
}

function summary(
  deaths: readonly Death[],
  acknowledged: ReturnType<typeof startLoad>["acknowledged"],
  verdict: Verdict,
): SoakResult {
  const diedAt: Record<string, number> = {};
  for (const { point } of deaths) {
    const name = point ?? "between";
    diedAt[name] = (diedAt[name] ?? 0) + 1;
  }
  const { prompts, receipts } = acknowledged;
  const counts = { prompts: prompts.length, cancels: receipts.length };
  return { ...verdict, ...counts, kills: deaths.length, diedAt };
}

const nobody = {
  name: "nobody",
  run: () => {
    throw new Error("this runtime only sends");
  },
};
