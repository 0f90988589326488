import { readdir, readFile } from "node:fs/promises";
import { sleep } from "../../base/time.ts";

const pollTime = 10;
/** Milliseconds to wait for killed processes to end. */
const killTime = 500;

/**
 * Returns true if a process belongs to a certain command or server. Such processes have an inherited mark, for example
 * an environment variable.
 */
export type IsOurs = (pid: number) => Promise<boolean>;

/**
 * Ends a process group with SIGTERM, then with SIGKILL. Also kills processes that have left the group, if `isOurs`
 * returns true for them.
 */
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
    // Ignore the error: the last process of the group has just ended.
  }
}

/** Waits until a process has ended, at most `killTime`. */
export async function processGone(pid: number): Promise<void> {
  const end = performance.now() + killTime;
  while (performance.now() < end) {
    const [state = "X"] = await statOf(pid);
    if (state === "Z" || state === "X") return;
    await sleep(1);
  }
}

/** Waits until a process group has ended, at most this many milliseconds. */
async function groupGone(group: number, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end && (await isGroupAlive(group))) await sleep(pollTime);
}

/**
 * True if a process group has a running process. Zombies do not count, because their parent may collect them late or
 * never.
 */
async function isGroupAlive(group: number): Promise<boolean> {
  try {
    process.kill(-group, 0);
  } catch {
    return false;
  }
  const pids = await processIds();
  // Without /proc, rely on the result of the signal above.
  if (pids.length === 0) return true;
  const alive = await Promise.all(pids.map((pid) => isAliveIn(group, pid)));
  return alive.includes(true);
}

/** Kills all processes for which `isOurs` returns true. Waits until they have ended, at most this many milliseconds. */
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

/** Returns a check that identifies processes by an environment variable. */
export function hasVariable(entry: string): IsOurs {
  return async (pid) => {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    return environment.split("\0").includes(entry);
  };
}

/** Finds other visible processes with an environment variable that starts with this text. */
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

/** Returns the start time of a process in clock ticks. Null if there is no such process. */
export async function startOf(pid: number | "self"): Promise<string | null> {
  return (await statOf(pid))[19] ?? null;
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Ignore the error: the process has already ended.
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

/** Returns the fields of /proc/PID/stat after the process name: state, parent, group and so on. */
async function statOf(pid: number | "self"): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  // The process name is in parentheses and may itself contain parentheses.
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
