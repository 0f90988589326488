import { readdir, readFile } from "node:fs/promises";
import { sleep } from "../../base/time.ts";

const pollTime = 10;
/** Time to wait for killed processes, in milliseconds. */
const killTime = 500;

/**
 * Returns whether a process belongs to the command or server in question. Processes are recognized by an inherited
 * mark.
 */
export type IsOurs = (pid: number) => Promise<boolean>;

/** Asks a process group to end, kills the rest, then kills marked processes that left the group. */
export async function endGroup(
  group: number,
  options: { readonly killAfter: number; readonly isOurs: IsOurs | null },
): Promise<void> {
  if (await isGroupAlive(group)) {
    signalGroup(group, "SIGTERM");
    await groupGone(group, options.killAfter);
    signalGroup(group, "SIGKILL");
    await groupGone(group, killTime);
  }
  if (options.isOurs !== null) await endMarked(options.isOurs, killTime);
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // The last process of the group has just ended.
  }
}

/** Waits for the end of a process, at most for `killTime`. */
export async function processGone(pid: number): Promise<void> {
  const end = performance.now() + killTime;
  while (performance.now() < end) {
    const [state = "X"] = await statOf(pid);
    if (state === "Z" || state === "X") return;
    await sleep(1);
  }
}

/** Waits for the end of a group, at most for this time. */
async function groupGone(group: number, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end && (await isGroupAlive(group))) await sleep(pollTime);
}

/**
 * True if a process group has a running process. Zombies do not count: the parent of an orphan may collect it
 * late or never.
 */
async function isGroupAlive(group: number): Promise<boolean> {
  try {
    process.kill(-group, 0);
  } catch {
    return false;
  }
  const pids = await processIds();
  // Without /proc, trust the result of the signal above.
  if (pids.length === 0) return true;
  const alive = await Promise.all(pids.map((pid) => isAliveIn(group, pid)));
  return alive.includes(true);
}

/** Kills marked processes and waits for their end, at most for this time. */
async function endMarked(isOurs: IsOurs, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  do {
    const pids = (await processIds()).filter((pid) => pid !== process.pid);
    const marked = await Promise.all(pids.map(isOurs));
    const found = pids.filter((_, index) => marked[index]);
    if (found.length === 0) return;
    for (const pid of found) kill(pid);
    await sleep(pollTime);
  } while (performance.now() < end);
}

/** Recognizes processes by an environment variable. */
export function hasVariable(entry: string): IsOurs {
  return async (pid) => {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    return environment.split("\0").includes(entry);
  };
}

/** Finds other visible processes with a variable that starts with this text. */
export async function processesWith(
  beginning: string,
): Promise<readonly { readonly pid: number; readonly variable: string }[]> {
  const pids = await processIds();
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
      const variable = environment.split("\0").find((entry) => entry.startsWith(beginning));
      return variable === undefined || pid === process.pid ? [] : [{ pid, variable }];
    }),
  );
  return found.flat();
}

/** Start time of a process in clock ticks. Null if there is no such process. */
export async function startOf(pid: number | "self"): Promise<string | null> {
  return (await statOf(pid))[19] ?? null;
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

async function processIds(): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

async function isAliveIn(group: number, pid: number): Promise<boolean> {
  const [state = "", , ownGroup] = await statOf(pid);
  return Number(ownGroup) === group && state !== "Z" && state !== "X";
}

/** Fields of /proc/PID/stat after the name: state, parent, group and so on. */
async function statOf(pid: number | "self"): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  // The name in parentheses may itself contain parentheses.
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
