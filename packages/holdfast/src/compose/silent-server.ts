import { systemClock } from "../base/time.ts";
import type { Clock } from "../base/time.ts";
import { discoveryFiles, readDiscovery } from "../server/discovery.ts";
import { hungServerProblem } from "./hung-server.ts";
import type { ServerPlace } from "./server-client.ts";
import { dataFolder } from "./stores.ts";

/** Milliseconds after which a person should know why a command waits. */
const noticeAfter = 3_000;

/**
 * Waits for a client that is being opened. If this takes some seconds because the store's server does not answer, calls
 * `note` with a message for people.
 */
export async function noteSilence<Value>(
  place: ServerPlace,
  opening: Promise<Value>,
  clock: Clock = systemClock,
): Promise<Value> {
  let isOver = false;
  const notice = async (): Promise<void> => {
    const silent = await silentServer(place);
    if (silent === null || isOver) return;
    // The longest time for all attempts to reach this server, or to start another one.
    place.note?.(`the server (process ${silent.pid}) does not answer; waiting up to 60 s`);
  };
  const timer = clock.after(noticeAfter, () => void notice()).unref();
  try {
    return await opening;
  } finally {
    isOver = true;
    timer.cancel();
  }
}

async function silentServer(place: ServerPlace): Promise<{ readonly pid: number } | null> {
  const { store, server, environment, home } = place;
  // A server that is named by its address is not the store's own, and is not waited for.
  if ((server ?? environment["HOLDFAST_SERVER"] ?? "") !== "") return null;
  for (const file of discoveryFiles({ store, dataFolder: dataFolder(environment, home) })) {
    if ((await hungServerProblem(file)) !== null) return readDiscovery(file);
  }
  return null;
}
