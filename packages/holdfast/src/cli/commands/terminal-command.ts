import { homedir } from "node:os";
import { programVersion } from "../../base/package.ts";
import { dataFolder, defaultStore } from "../../compose/stores.ts";
import { folderOf, isElsewhere } from "../client-options.ts";
import { storeAddress } from "../help-text.ts";

/**
 * `holdfast` alone: opens the terminal client in the current directory, with a new session or with
 * the latest one.
 */
export async function openTerminal({ isContinued }: { isContinued: boolean }): Promise<number> {
  const { runTerminal } = await import("@holdfast/terminal");
  const { HOLDFAST_STORE: named = "" } = process.env;
  const store = named === "" ? defaultStore(process.env, homedir()) : storeAddress(named);
  return runTerminal({
    directory: folderOf({ store }, process.cwd()),
    start: { kind: isContinued ? "latest" : "auto" },
    folder: dataFolder(process.env, homedir()),
    version: programVersion(),
    // The server may have been started in another environment.
    model: isElsewhere({ store }) ? null : process.env["HOLDFAST_MODEL"]?.trim() || null,
    environment: process.env,
    open: async (onAway) => {
      // Loaded after the first paint.
      const { openConnection } = await import("./terminal-connection.ts");
      return openConnection(store, onAway);
    },
  });
}
