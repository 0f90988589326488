import { readdirSync, readFileSync } from "node:fs";

/** The processes that have this directory in their command line. */
export function processesOf(directory: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(directory);
      } catch {
        return false;
      }
    });
}
