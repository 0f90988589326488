import { isRunning, readDiscovery } from "../server/discovery.ts";

/** Milliseconds to wait for an answer. */
const patience = 1_000;

/**
 * If the server that the file names hangs, returns this problem and how to end the server; otherwise null. Only
 * SIGKILL ends a process that is stopped or handles no signals.
 */
export async function hungServerProblem(file: string): Promise<string | null> {
  const named = readDiscovery(file);
  if (named === null || named.pid === process.pid || !isRunning(named.pid)) return null;
  if (!(await isSilent(named.url))) return null;
  const { pid } = named;
  return `the server (process ${pid}) does not answer; end it with \`kill -9 ${pid}\`, and try again`;
}

/**
 * True if a program listens at the address but does not answer. If nothing listens there, the server has ended, and its
 * process id may belong to another program.
 */
async function isSilent(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(patience), redirect: "error" });
    return false;
  } catch (error) {
    return error instanceof Error && error.name === "TimeoutError";
  }
}
