import { homedir } from "node:os";
import { programVersion } from "../../base/package.ts";
import { dataFolder, defaultStore } from "../../compose/stores.ts";
import type { TerminalOptions } from "@holdfast/terminal";
import { folderOf, isElsewhere } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { storeAddress } from "../help-text.ts";
import { readTerminalSettings } from "../terminal/terminal-settings.ts";

/**
 * `holdfast` without a command, and `holdfast attach` at a terminal: opens the terminal client in the current
 * directory.
 */
export async function openTerminal({
  start,
  options = usualPlace(),
  screenReader = false,
  agent = null,
  model = null,
}: {
  start: TerminalOptions["start"];
  options?: ClientOptions;
  /** True: the option --screen-reader is set. */
  screenReader?: boolean;
  /**
   * Agent of new sessions and of the opened session, from the option --agent. Null: new sessions get the agent in
   * HOLDFAST_AGENT, or else the directory's default agent.
   */
  agent?: string | null;
  /** Model of the next prompts, from the option --model. Null: HOLDFAST_MODEL, or else the directory's default. */
  model?: string | null;
}): Promise<number> {
  const settings = await readTerminalSettings(process.env);
  const { runTerminal } = await import("@holdfast/terminal");
  return runTerminal({
    directory: folderOf(options, process.cwd()),
    start,
    folder: dataFolder(process.env, homedir()),
    version: programVersion(),
    // Pass the model of this environment, because the server may have been started in another environment.
    model: model ?? (isElsewhere(options) ? null : process.env["HOLDFAST_MODEL"]?.trim() || null),
    agent: agent ?? (process.env["HOLDFAST_AGENT"]?.trim() || null),
    setsAgent: agent !== null,
    environment: process.env,
    isPlain: screenReader || settings.screenReader,
    theme: settings.theme,
    open: async (events) => {
      // Load this module only after the terminal client has drawn its first screen.
      const { openConnection } = await import("./terminal-connection.ts");
      return openConnection(options, events);
    },
  });
}

/** Returns the store that the environment names, otherwise the user's default store. */
function usualPlace(): ClientOptions {
  const { HOLDFAST_STORE: named = "" } = process.env;
  return { store: named === "" ? defaultStore(process.env, homedir()) : storeAddress(named) };
}
