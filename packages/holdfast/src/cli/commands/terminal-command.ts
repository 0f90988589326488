import { homedir } from "node:os";
import { programVersion } from "../../base/package.ts";
import { openClient } from "../../compose/client.ts";
import { dataFolder, defaultStore } from "../../compose/stores.ts";
import { folderOf, placeOf } from "../client-options.ts";
import { watchConnection } from "../connection.ts";
import { offerProviders } from "./run-client.ts";

/** Milliseconds for which a request is retried while the server does not answer. */
const patience = 600_000;

/**
 * `holdfast` alone: opens the terminal client in the current directory, with a new session or with
 * the latest one.
 */
export async function openTerminal({ isContinued }: { isContinued: boolean }): Promise<number> {
  const { runTerminal } = await import("@holdfast/terminal");
  const store = defaultStore(process.env, homedir());
  return runTerminal({
    directory: folderOf({ store }, process.cwd()),
    start: { kind: isContinued ? "latest" : "auto" },
    folder: dataFolder(process.env, homedir()),
    version: programVersion(),
    environment: process.env,
    open: async (onAway) => {
      const watch = watchConnection({ patience, onChange: ({ isAway }) => onAway(isAway) });
      const place = { ...placeOf({ store }), patience, watch, client: "terminal" };
      const client = await openClient(place, "server");
      return {
        holdfast: client.holdfast,
        offer: (sessionId) => offerProviders(client, { store, sessionId }),
        close: async () => client[Symbol.asyncDispose](),
      };
    },
  });
}
