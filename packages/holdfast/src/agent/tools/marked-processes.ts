import { readdir, readFile } from "node:fs/promises";

/** Kills the processes that have this variable in their environment; where /proc is, else nothing. */
export async function endMarked(mark: string): Promise<void> {
  for (const pid of await markedProcesses(mark)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

async function markedProcesses(mark: string): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
      return environment.split("\0").includes(mark) ? [pid] : [];
    }),
  );
  return found.flat().filter((pid) => pid !== process.pid);
}
