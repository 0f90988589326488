import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { maxProcesses } from "./bubblewrap.ts";

/** Where the controller for processes is mounted: cgroup v2, then v1. Each has a file of this name. */
const mounts = [
  ["/sys/fs/cgroup", "cgroup.controllers"],
  ["/sys/fs/cgroup/pids", "cgroup.procs"],
] as const;

/**
 * A cgroup that limits the processes of all commands together, for a server that runs as root: the limit
 * of `ulimit` does not hold for root. Returns its `cgroup.procs` file; null if there can be none, which is
 * usual in containers, where the container's own limit counts.
 */
export function processCgroup(): string | null {
  if (process.getuid?.() !== 0) return null;
  for (const [mount, proof] of mounts) {
    if (!existsSync(join(mount, proof))) continue;
    const folder = join(mount, "holdfast");
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "pids.max"), String(maxProcesses));
      return join(folder, "cgroup.procs");
    } catch {
      // Read-only, or without this controller.
    }
  }
  return null;
}
