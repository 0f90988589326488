import { hasEnded } from "../server/discovery.ts";
import { findAnnounced, findServerClient } from "./server-client.ts";
import type { ServerPlace } from "./server-client.ts";

/** Milliseconds that an idle server may take to end. */
const longestStop = 10_000;

/**
 * Stops the server of a store if it has no active run and no prompt that is ready to start, and waits until its process
 * has ended. Returns null on success, and the server's URL if it is still running.
 */
export async function stopIdleServer(
  place: ServerPlace,
  { onlyBackground }: { onlyBackground: boolean },
): Promise<string | null> {
  const found = await findAnnounced(place);
  if (found === null) return null;
  const { url, pid, isBackground } = found.server;
  if (onlyBackground && !isBackground) return url;
  const client = await findServerClient({ ...place, server: "", isFollowed: false });
  if (client === null) return null;
  await using opened = client;
  const { Refused } = await import("@holdfast/sdk");
  try {
    await opened.holdfast.stop({ ifIdle: true });
  } catch (error) {
    if (error instanceof Refused) return url;
    throw error;
  }
  return (await hasEnded(pid, longestStop)) ? null : url;
}
