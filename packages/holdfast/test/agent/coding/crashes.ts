import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { Script } from "../../../../../gauntlet/model-server/script.ts";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { examine } from "../../../src/store/doctor/doctor.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import type { CrashJob } from "./crash-worker.ts";
import { quickDisk } from "./world.ts";

/** Fixture for processes that are killed: their store, their project, and a model that keeps running. */
export interface Crashes {
  readonly server: ModelServer;
  readonly directory: string;
  /** A process that works on the prompts. */
  start(prompts: CrashJob["prompts"]): Worker;
  /** Lines of a file in the project; none if it is not there. */
  lines(path: string): string[];
  /** Reads the log and the files after the processes have ended. */
  inspect(prompts: CrashJob["prompts"]): Promise<Remains>;
  close(): Promise<void>;
}

export interface Worker {
  readonly ready: Promise<void>;
  /** Resolves when every prompt has its outcome; rejects when the process ends before. */
  readonly settled: Promise<void>;
  readonly dead: Promise<void>;
  kill(): void;
}

export interface Remains {
  readonly violations: readonly unknown[];
  readonly outcomes: readonly string[];
  readonly log: readonly LaneEvent[];
  /** Texts of the stored bodies, by hash. */
  readonly bodies: ReadonlyMap<string, string>;
}

export async function openCrashes(script: Script): Promise<Crashes> {
  const folder = realpathSync(mkdtempSync(join(quickDisk, "holdfast-crash-")));
  const directory = join(folder, "project");
  mkdirSync(directory);
  const file = join(folder, "holdfast.db");
  const server = await startModelServer(script);
  const workers = new Set<Worker>();
  return {
    server,
    directory,
    start: (prompts) => {
      const { addresses } = server;
      const job: CrashJob = { file, folder, directory, addresses, prompts };
      const worker = startWorker(job);
      workers.add(worker);
      return worker;
    },
    lines: (path) => {
      const name = join(directory, path);
      return existsSync(name) ? readFileSync(name, "utf8").split("\n").filter(Boolean) : [];
    },
    inspect: async (prompts) => {
      const store = await openSqliteStore({ file });
      try {
        return await remains(store, prompts);
      } finally {
        await store.close();
      }
    },
    close: async () => {
      for (const worker of workers) worker.kill();
      await Promise.all([...workers].map(({ dead }) => dead));
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startWorker(job: CrashJob): Worker {
  const script = join(import.meta.dirname, "crash-worker.ts");
  const child = spawn(process.execPath, [script, JSON.stringify(job)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  const said = (word: string): Promise<void> => wordOf(child, word);
  const [ready, settled] = [said("ready"), said("settled")];
  for (const promise of [ready, settled]) promise.catch(() => {});
  return {
    ready,
    settled,
    dead: new Promise((resolve) => child.once("exit", () => resolve())),
    kill: () => void child.kill("SIGKILL"),
  };
}

function wordOf(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) return;
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      if (line === word) resolve();
    });
    child.once("exit", () => reject(new Error(`the worker ended before it was ${word}`)));
  });
}

async function remains(store: Store, prompts: CrashJob["prompts"]): Promise<Remains> {
  const { violations } = await examine(store);
  const outcomes: string[] = [];
  for (const { sessionId, promptId } of prompts) {
    const outcome = (await store.prompt(sessionId, promptId))?.outcome ?? null;
    const { status = "unsettled", reason = null } = outcome ?? {};
    outcomes.push(reason === null ? status : `${status}: ${reason}`);
  }
  const log: LaneEvent[] = [];
  for (const sessionId of new Set(prompts.map((prompt) => prompt.sessionId))) {
    log.push(...(await store.events(sessionId, { after: null, limit: 10_000 })));
  }
  const bodies = new Map<string, string>();
  for (const event of log) {
    const hash = "body" in event ? event.body : null;
    const bytes = hash === null ? null : await store.body(hash);
    if (hash !== null && bytes !== null) bodies.set(hash, new TextDecoder().decode(bytes));
  }
  return { violations, outcomes, log, bodies };
}
