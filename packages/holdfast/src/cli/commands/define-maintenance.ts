import { Option } from "commander";
import type { Command } from "commander";
import { addClientOptions } from "../client-options.ts";
import { examples } from "../help-text.ts";
import type { MaintenanceOptions } from "./maintenance-command.ts";
import type { ReloadOptions } from "./reload-command.ts";

/** Commands that change what runs work with, and interrupt none. */
export function defineMaintenance(program: Command, onDone: (exitCode: number) => void): void {
  const reload = program
    .command("reload")
    .summary("load a directory's config, providers and MCP servers anew, for the next run")
    .description(
      "Load a directory anew: its config, agents, commands, providers and MCP servers. The next run " +
        "uses the new state; a running one keeps what it began with, to its end. Edited files are " +
        "noticed without this.",
    );
  addScope(reload)
    .addHelpText("after", examples(["holdfast reload", "holdfast reload --all --wait"]))
    .action(async (directories: string[], options: ScopeOptions) => {
      onDone(await (await import("./reload-command.ts")).reload({ ...options, directories }));
    });
  const close = program
    .command("close")
    .summary("free what a directory has open; the next run opens it again")
    .description(
      "Free what a directory has open, such as MCP servers, once no run uses it any more. The next " +
        "run opens it again. Directories that nobody has used for a while are closed without this.",
    );
  addScope(close)
    .addHelpText("after", examples(["holdfast close", "holdfast close --all --force"]))
    .action(async (directories: string[], options: ScopeOptions) => {
      onDone(await (await import("./reload-command.ts")).close({ ...options, directories }));
    });
  const maintenance = program
    .command("maintenance")
    .summary("list what was reloaded and closed, and what that waits for")
    .description("List the latest reloads and closes, or show one and the runs that it waits for.")
    .argument("[action]", "the id of one; the latest 20 if left out")
    .option("--wait", "wait until it has ended")
    .option("--force", "cancel the runs that it waits for; queued prompts survive")
    .option("--json", "print one line of JSON for each");
  addClientOptions(maintenance)
    .addHelpText(
      "after",
      examples(["holdfast maintenance", "holdfast maintenance maintenance-1234 --force --wait"]),
    )
    .action(async (action: string | undefined, options: MaintenanceOptions) => {
      const { showMaintenance } = await import("./maintenance-command.ts");
      onDone(await showMaintenance(action === undefined ? options : { ...options, action }));
    });
}

type ScopeOptions = Omit<ReloadOptions, "directories">;

function addScope(command: Command): Command {
  command
    .argument("[directories...]", "the current folder if left out")
    .option("--all", "every directory that is open")
    .option("--force", "cancel the runs that it would wait for; queued prompts survive");
  return addClientOptions(addFollowing(command));
}

/** For every command that answers with what runs it waits for. */
export function addFollowing(command: Command): Command {
  return command
    .addOption(
      new Option("--wait", "wait for runs that use what was before; at a terminal the default"),
    )
    .addOption(new Option("--no-wait", "do not wait for them, not at a terminal either"))
    .option("--json", "print the answer as one line of JSON");
}
