import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IsOurs } from "./processes.ts";

/**
 * A mark that processes inherit and keep in a session of their own, without their environment and with all
 * files closed: their limit for file locks. Linux has not enforced this limit since 2.4 and shows it in
 * /proc. Only a process that changes this very limit loses the mark.
 */
export interface ProcessMark {
  /** Shell code that marks the shell and all that the shell starts. */
  readonly script: string;
  readonly isOurs: IsOurs;
}

export function createProcessMark(): ProcessMark {
  const highest = highestLimit();
  // A limit can only be lowered, so a server inside of a marked command stays below that mark.
  const limit = String(randomInt(Math.floor(highest / 2), highest));
  return {
    // The option of bash, then that of dash and BusyBox.
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
