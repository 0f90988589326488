import { readdirSync, readFileSync } from "node:fs";

/** Processor time and memory that a process and its children use. */
export interface Use {
  /** Processor time in milliseconds. */
  readonly cpu: number;
  /** Resident memory in megabytes. */
  readonly memory: number;
}

export function useOf(pid: number): Use {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const parents = new Map(all.map((name) => [Number(name), parentOf(name)]));
  const isOurs = (own: number | undefined): boolean =>
    own !== undefined && own > 1 && (own === pid || isOurs(parents.get(own)));
  const ours = [...parents.keys()].filter(isOurs).map(usedBy);
  return {
    cpu: ours.reduce((sum, { cpu }) => sum + cpu, 0),
    memory: ours.reduce((sum, { memory }) => sum + memory, 0),
  };
}

/** Processor time of one process in milliseconds, more precise than `useOf`: a program such as cat uses less than a tick. */
export function preciseTimeOf(pid: number): number {
  const [nanoseconds = ""] = readProc(`${pid}/schedstat`).split(" ");
  return nanoseconds === "" ? Number.NaN : Number(nanoseconds) / 1e6;
}

/** Ends the processes that were started with this home folder and are still running, such as a daemon of a program. */
export function endProcessesOf(home: string): void {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const pid of pids.filter((name) => Number(name) !== process.pid)) {
    if (!readProc(`${pid}/environ`).split("\0").includes(`HOME=${home}`)) continue;
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // The process has ended in the meantime.
    }
  }
}

function usedBy(pid: number): Use {
  const fields = statOf(String(pid));
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readProc(`${pid}/status`)) ?? [];
  const ticks = Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  return { cpu: ticks * tick, memory: Number(kilobytes) / 1_024 };
}

/** Length of a clock tick of /proc in milliseconds. It is the same on all common systems. */
const tick = 10;

function parentOf(pid: string): number | undefined {
  const [, parent] = statOf(pid);
  return parent === undefined ? undefined : Number(parent);
}

/** Returns the fields after the program's name. The name is skipped, because it may contain spaces. */
function statOf(pid: string): readonly string[] {
  return readProc(`${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ");
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    // The process has ended.
    return "";
  }
}
