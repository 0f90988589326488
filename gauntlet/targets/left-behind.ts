import { readdirSync, readFileSync } from "node:fs";

// An agent may leave processes in the background that are no part of its group, such as a server that it has
// started. They are known by their HOME, which is a scratch folder that nobody else has; on Linux alone.

const homes = new Set<string>();

/** From now on nothing with this home outlives our own process. */
export function watchHome(home: string): void {
  // Before folders are removed that they write to.
  if (homes.size === 0) process.prependListener("exit", () => homes.forEach(endLeftBehind));
  homes.add(home);
}

/** kill -9 for everything that is left with this home. */
export function endLeftBehind(home: string): void {
  for (const pid of leftBehind(home)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It is gone already.
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
    // It is gone, or another user's.
    return [];
  }
}
