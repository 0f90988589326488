import { homedir } from "node:os";
import { programVersion } from "../../base/package.ts";
import { dataFolder, defaultStore } from "../../compose/stores.ts";
import { folderOf } from "../client-options.ts";

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
      // Loaded after the first paint.
      const { openConnection } = await import("./terminal-connection.ts");
      return openConnection(store, onAway);
    },
  });
}
