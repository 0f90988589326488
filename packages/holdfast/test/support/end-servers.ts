import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/**
 * Ends the background servers whose data folder is in this folder. A test that lets commands start servers
 * calls it at its end, so that no process is left.
 */
export function endServers(folder: string): void {
  for (const pid of serversIn(folder)) kill(pid, "SIGKILL");
}

/** Kills all processes with this folder in their command line, such as workers, servers and databases. */
export function endProcesses(folder: string): void {
  for (const { pid, words } of commandLines()) {
    if (words.includes(folder) && pid !== process.pid) kill(pid, "SIGKILL");
  }
}

/** The processes of servers whose data folder is in this folder. */
export function serversIn(folder: string): readonly number[] {
  return commandLines()
    .filter(({ words }) => words.includes(`serve --data ${folder}/`))
    .map(({ pid }) => pid);
}

function commandLines(): readonly { pid: number; words: string }[] {
  if (existsSync("/proc/self/cmdline")) {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), words: wordsOf(name) }));
  }
  const list = execFileSync("ps", ["-axwwo", "pid=,command="], { encoding: "utf8" });
  return list.split("\n").map((line) => {
    const [, pid = "0", words = ""] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return { pid: Number(pid), words };
  });
}

function wordsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    // The process has ended.
    return "";
  }
}

/** Sends a signal to a process that may have ended. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}
