import { hasEnded } from "../server/discovery.ts";
import type { FoundServer } from "../server/discovery.ts";
import { SetupError } from "../server/setup-error.ts";

interface Wait {
  /** Milliseconds that a stopping server may take. */
  readonly patience?: number | undefined;
  readonly note?: ((text: string) => void) | undefined;
}

/**
 * If a server is stopping, waits until its process has ended, because a stopping server accepts no prompt. Returns true
 * if the server has ended; false if it is not stopping, or still runs after `patience` milliseconds.
 */
export async function hasEndedStopping(server: FoundServer, wait: Wait): Promise<boolean> {
  return (await waitForStop(server, wait)) === "ended";
}

/** Same as above, but throws if a stopping server still runs after `patience`: only its end frees the store. */
export async function hasFreedStore(server: FoundServer, wait: Wait): Promise<boolean> {
  const state = await waitForStop(server, wait);
  if (state !== "stopping") return state === "ended";
  const problem = `the server (process ${server.pid}) is still stopping`;
  throw new SetupError("serverRunning", `${problem}; try again in a moment`);
}

async function waitForStop(
  server: FoundServer,
  { patience = 60_000, note }: Wait,
): Promise<"ended" | "stopping" | "running"> {
  if (!(await isStopping(server))) return "running";
  note?.("the server is stopping; waiting until it has ended");
  return (await hasEnded(server.pid, patience)) ? "ended" : "stopping";
}

async function isStopping({ url }: FoundServer): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { redirect: "error" });
    return answer.status === 503 && (await answer.text()).includes('"draining"');
  } catch {
    // The server has ended or does not answer. The next request finds out.
    return false;
  }
}
