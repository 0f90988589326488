import { readdir, readFile } from "node:fs/promises";
import { sleep } from "../../base/time.ts";

const pollTime = 10;
/** How long killed processes may take to be gone. */
const killTime = 500;

/** Whether a process belongs to a command or a server, by a mark that it has inherited. */
export type IsOurs = (pid: number) => Promise<boolean>;

/** Asks a process group to end, kills those that do not, then marked processes that left the group. */
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
    // The last of it has just ended.
  }
}

/** Waits for a process's end, but not longer than it takes to kill one. */
export async function processGone(pid: number): Promise<void> {
  const end = performance.now() + killTime;
  while (performance.now() < end) {
    const [state = "X"] = await statOf(pid);
    if (state === "Z" || state === "X") return;
    await sleep(1);
  }
}

/** Waits for the group's end, but not longer than this. */
async function groupGone(group: number, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end && (await isGroupAlive(group))) await sleep(pollTime);
}

/**
 * Whether a process group still has a process that does anything. One that has ended counts for the
 * system until its parent looks, which for an orphan may be late or never.
 */
async function isGroupAlive(group: number): Promise<boolean> {
  try {
    process.kill(-group, 0);
  } catch {
    return false;
  }
  const pids = await processIds();
  // Where the system does not show its processes, the answer above must do.
  if (pids.length === 0) return true;
  const alive = await Promise.all(pids.map((pid) => isAliveIn(group, pid)));
  return alive.includes(true);
}

/** Kills marked processes, and waits for their end, but not longer than this. */
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

/** Marks processes by a variable in their environment. */
export function hasVariable(entry: string): IsOurs {
  return async (pid) => {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    return environment.split("\0").includes(entry);
  };
}

/** Other processes, as far as they can be seen, that have a variable that begins like this. */
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

/** When a process has started, in the system's own count; null when there is none. */
export async function startOf(pid: number | "self"): Promise<string | null> {
  return (await statOf(pid))[19] ?? null;
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
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

/** What the system says of a process after its name: its state, its parent, its group and so on. */
async function statOf(pid: number | "self"): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  // The name in parentheses may contain anything, also parentheses.
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
