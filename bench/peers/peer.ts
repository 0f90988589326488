import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningTarget, Target } from "../../gauntlet/target.ts";
import { startChild } from "../server/child.ts";
import type { Child } from "../server/child.ts";

/** A product to measure, with its own data and the shared model. */
export interface Peer {
  readonly name: string;
  readonly target: Target;
  readonly running: RunningTarget;
  /** Returns the resident memory of the measured product's process and all its child processes, in megabytes. */
  memory(): number;
  close(): Promise<void>;
}

export type Model = Child<string>;

export function startModel(): Promise<Model> {
  return startChild<string>("../peers/model-process.ts", null);
}

export async function openPeer(target: Target, model: Model): Promise<Peer> {
  const scratch = mkdtempSync(join(tmpdir(), "holdfast-bench-peer-"));
  const [folder, directory] = [join(scratch, "data"), join(scratch, "project")];
  mkdirSync(folder);
  mkdirSync(directory);
  const running = await target.start({
    folder,
    directory,
    model: { address: model.ready, name: "bench" },
    asks: false,
  });
  return {
    name: target.name,
    target,
    running,
    memory: () => familyOf(running.pid).reduce((sum, pid) => sum + residentMb(pid), 0),
    close: async () => {
      await running.stop();
      rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

function familyOf(pid: number): number[] {
  const children = read(() =>
    readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")
        .split(" ")
        .filter((word) => word !== "")
        .map(Number),
    ),
  );
  return [pid, ...(children ?? []).flatMap(familyOf)];
}

function residentMb(pid: number): number {
  const status = read(() => readFileSync(`/proc/${pid}/status`, "utf8")) ?? "";
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

/** Returns null if reading fails because the process has ended in the meantime. */
function read<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
