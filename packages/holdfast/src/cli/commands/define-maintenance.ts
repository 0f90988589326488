import { Option } from "commander";
import type { Command } from "commander";
import { addClientOptions } from "../client-options.ts";
import { addHelp } from "../help-text.ts";
import type { MaintenanceOptions } from "./maintenance-command.ts";
import type { ReloadOptions } from "./reload-command.ts";

/** Defines the commands that reload and close directories. They do not interrupt runs. */
export function defineMaintenance(server: Command, onDone: (exitCode: number) => void): void {
  const reload = addHelp(server.command("reload"), {
    summary: "Reload the config, providers and MCP servers of a directory",
    description:
      "Reload the config, agents, commands, providers and MCP servers of a directory. The next prompt uses the new " +
      "state; a running prompt keeps the old state until it ends. Holdfast notices edited files without this command.",
    examples: ["holdfast server reload", "holdfast server reload --all --wait"],
  });
  addScope(reload, "reload").action(async (directories: string[], options: ScopeOptions) => {
    onDone(await (await import("./reload-command.ts")).reload({ ...options, directories }));
  });
  const close = addHelp(server.command("close"), {
    summary: "Stop the MCP servers and file watchers of a directory",
    description:
      "Close a directory: stop its MCP servers and file watchers when no running prompt needs them. The next prompt " +
      "opens the directory again. Holdfast closes unused directories without this command.",
    examples: ["holdfast server close", "holdfast server close --all --force"],
  });
  addScope(close, "close").action(async (directories: string[], options: ScopeOptions) => {
    onDone(await (await import("./reload-command.ts")).close({ ...options, directories }));
  });
  const maintenance = addHelp(server.command("maintenance"), {
    summary: "List recent reload and close operations",
    description:
      "List the latest reload and close operations, or show one operation and the running prompts that it waits for.",
    examples: [
      "holdfast server maintenance",
      "holdfast server maintenance maintenance-1234 --force --wait",
    ],
  })
    .argument(
      "[action]",
      "Id of the operation, as printed by reload or close (default: list the latest 20)",
    )
    .option("--wait", "Wait until the operation has ended")
    .option(
      "--force",
      "Cancel the running prompts that the operation waits for, but not waiting prompts",
    )
    .option("--json", "Print each operation as a line of JSON");
  addClientOptions(maintenance).action(
    async (action: string | undefined, options: MaintenanceOptions) => {
      const { showMaintenance } = await import("./maintenance-command.ts");
      onDone(await showMaintenance(action === undefined ? options : { ...options, action }));
    },
  );
}

type ScopeOptions = Omit<ReloadOptions, "directories">;

/** Adds the argument and the options of the commands `reload` and `close`. `verb` is used in the help texts. */
function addScope(command: Command, verb: "reload" | "close"): Command {
  const capital = verb === "reload" ? "Reload" : "Close";
  command
    .argument("[directories...]", `Directories to ${verb} (default: the current directory)`)
    .option("--all", `${capital} all directories that the server has loaded`)
    .option(
      "--force",
      "Cancel the running prompts that still use the old config, but not waiting prompts",
    );
  return addClientOptions(addFollowing(command));
}

/** Adds the options --wait and --no-wait, for commands that may have to wait for runs. */
export function addFollowing(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--wait",
        "Wait until the prompts that run with the old config have ended (default in a terminal)",
      ),
    )
    .addOption(
      new Option(
        "--no-wait",
        "Do not wait for the prompts that run with the old config (default outside a terminal)",
      ),
    )
    .option("--json", "Print the result as a line of JSON");
}
