import { readdirSync, readFileSync } from "node:fs";

// An agent may leave background processes outside its process group. They are found by their HOME,
// a scratch directory that only they use. Works only on Linux.

const homes = new Set<string>();

/** When this process exits, kills all processes whose environment variable HOME is this directory. */
export function watchHome(home: string): void {
  // Kill the processes of the tested program before other exit handlers remove the directories that these processes
  // use.
  if (homes.size === 0) process.prependListener("exit", () => homes.forEach(endLeftBehind));
  homes.add(home);
}

/** Kills (SIGKILL) all remaining processes whose environment variable HOME is this directory. */
export function endLeftBehind(home: string): void {
  for (const pid of leftBehind(home)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  }
}

export function leftBehind(home: string): number[] {
  return processes().filter((pid) => environmentOf(pid).includes(`HOME=${home}`));
}

function processes(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // The process has ended, or belongs to another user.
    return [];
  }
}
