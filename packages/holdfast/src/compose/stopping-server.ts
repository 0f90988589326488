import { hasEnded } from "../server/discovery.ts";
import type { FoundServer } from "../server/discovery.ts";

/**
 * If a server is stopping, waits until its process has ended, because a stopping server accepts no prompt. Returns true
 * if the server has ended; false if it is not stopping, or still runs after `patience` milliseconds.
 */
export async function hasEndedStopping(
  server: FoundServer,
  {
    patience = 60_000,
    note,
  }: { patience?: number | undefined; note?: ((text: string) => void) | undefined },
): Promise<boolean> {
  if (!(await isStopping(server))) return false;
  note?.("the server is stopping; a new one starts when it has ended");
  return hasEnded(server.pid, patience);
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
