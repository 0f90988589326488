import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { WorkerOptions } from "./worker.ts";

export interface Worker {
  readonly options: WorkerOptions;
  process: ChildProcess;
  /** Its clients have sent everything and were answered. */
  sent: boolean;
}

export function startWorker(options: WorkerOptions): Worker {
  const worker: Worker = { options, process: launch(options), sent: false };
  observe(worker);
  return worker;
}

/** Kills the worker with -9: it executes nothing more. */
export async function killWorker(worker: Worker): Promise<void> {
  const ended = once(worker.process, "exit");
  if (worker.process.exitCode !== null || worker.process.signalCode !== null) return;
  worker.process.kill("SIGKILL");
  await ended;
}

export async function restartWorker(worker: Worker): Promise<void> {
  await killWorker(worker);
  worker.process = launch(worker.options);
  observe(worker);
}

function launch(options: WorkerOptions): ChildProcess {
  return fork(join(import.meta.dirname, "worker.ts"), [JSON.stringify(options)], {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

function observe(worker: Worker): void {
  worker.process.on("message", () => {
    worker.sent = true;
  });
}
