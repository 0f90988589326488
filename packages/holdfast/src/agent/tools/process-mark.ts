import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IsOurs } from "./processes.ts";

/**
 * Marks processes so that they can be found later: sets their maximum number of file locks to a random value. Child
 * processes inherit this limit, even after `setsid`, with another environment and with all files closed. Linux has not
 * enforced the limit since 2.4, but shows it in /proc. A process loses the mark only if it changes this limit.
 */
export interface ProcessMark {
  /** Shell code that marks the shell and all processes that it starts. */
  readonly script: string;
  readonly isOurs: IsOurs;
}

export function createProcessMark(): ProcessMark {
  const highest = highestLimit();
  // A random limit for file locks marks the processes, so that they can be found later. The limit must be below the
  // current one, because a process may only lower its limit.
  const limit = String(randomInt(Math.floor(highest / 2), highest));
  return {
    // The option is `-x` in bash, and `-w` in dash and BusyBox.
    script: `{ ulimit -x ${limit} || ulimit -w ${limit}; } 2>/dev/null; `,
    isOurs: async (pid) =>
      lockLimit(await readFile(`/proc/${pid}/limits`, "latin1").catch(() => "")) === limit,
  };
}

function highestLimit(): number {
  try {
    const own = Number(lockLimit(readFileSync("/proc/self/limits", "latin1")));
    return Number.isSafeInteger(own) ? own : 2 ** 47;
  } catch {
    return 2 ** 47;
  }
}

function lockLimit(limits: string): string | undefined {
  return /^Max file locks +(\S+)/m.exec(limits)?.[1];
}
