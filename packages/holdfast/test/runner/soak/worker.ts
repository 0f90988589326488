import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { waitFor } from "../../support/wait-for.ts";
import type { CommandType } from "../../../src/kernel/command.ts";
import { CommandRefused } from "../../../src/runner/command-refused.ts";
import { createRuntime } from "../../../src/runtime/runtime.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { createSoakAgent } from "./agent.ts";
import type { During } from "./agent.ts";
import type {
  Operation,
  Point,
  StoreAddress,
  WorkerInput,
  WorkerJob,
  WorkerOutput,
} from "./job.ts";
import { isAtRest } from "./rest.ts";
import { send } from "./send.ts";

// A process with a runtime in it, to be killed at any moment.

const [, , jobText = ""] = process.argv;
const job: WorkerJob = JSON.parse(jobText);
const { aim } = job;
let passed = 0;
let reported = 0;

const tell = (output: WorkerOutput): void => {
  writeSync(1, `${JSON.stringify(output)}\n`);
};
const die = (point: Point): void => {
  tell({ kind: "aimed", point });
  process.kill(process.pid, "SIGKILL");
};
const during: During = async (point, work) => {
  tell({ kind: "entered", point });
  passed += aim?.point === point ? 1 : 0;
  const here = aim?.point === point && passed === aim.nth ? aim.side : null;
  if (here === "before") die(point);
  const working = work();
  if (here === "during") setImmediate(() => die(point));
  try {
    return await working;
  } finally {
    if (here === "after") die(point);
    tell({ kind: "left", point });
  }
};

const store = await open(job.store);
const watched: Store = {
  ...store,
  execute: (request) => during(pointOf(request.command.type), () => store.execute(request)),
};
const holdfast = await createRuntime({
  store: watched,
  agent: createSoakAgent({ effectsFile: job.effectsFile, during }),
  leaseTtl: job.leaseTtl,
  renewEvery: job.leaseTtl / 10,
  pollEvery: 100,
  stopGrace: 300,
  maxRuns: 6,
  onError: (error) => {
    reported += 1;
    if (reported <= 3) process.stderr.write(`  a worker reports: ${String(error)}\n`);
  },
});
tell({ kind: "ready" });
for await (const line of createInterface({ input: process.stdin })) {
  const input: WorkerInput = JSON.parse(line);
  if (input.kind === "close") break;
  void answer(holdfast, input);
}
await holdfast.close();
await store.close();

async function answer(
  holdfast: Runtime,
  input: Exclude<WorkerInput, { kind: "close" }>,
): Promise<void> {
  const { id } = input;
  if (input.kind === "rest") {
    await waitFor(() => isAtRest(holdfast.store), { describe: "a store at rest", limit: 600_000 });
    tell({ kind: "acknowledged", id, receipt: null });
    return;
  }
  await answerOperation(holdfast, id, input.operation);
}

async function answerOperation(holdfast: Runtime, id: number, operation: Operation): Promise<void> {
  try {
    tell({ kind: "acknowledged", id, receipt: await send(holdfast, operation) });
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    tell({ kind: "refused", id, code: error.refusal.code });
  }
}

function open(address: StoreAddress): Promise<Store> {
  if (address.kind === "sqlite") return openSqliteStore({ file: address.file });
  return openPostgresStore({ url: address.url, connections: 5 });
}

function pointOf(type: CommandType): Point {
  if (type === "prompt.accept") return "accept";
  if (type === "run.start" || type === "lane.takeover") return "start";
  if (type === "run.end" || type === "cancel" || type === "lane.tick") return "settle";
  return "commit";
}
