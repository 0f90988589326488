import type { Command } from "commander";
import { addClientOptions } from "../client-options.ts";
import { addHelp, directoryOption } from "../help-text.ts";
import type { RulesOptions } from "./rules-command.ts";

type Given = Omit<RulesOptions, "directory"> & { readonly directory?: string };

/** Defines the commands for permission rules that were stored by the answer "always". */
export function defineRules(program: Command, onDone: (exitCode: number) => void): void {
  const rules = addHelp(program.command("rules"), {
    summary: "List and remove the permissions that you granted with “always”",
    description:
      "List the permission rules that you created by answering a permission request with “always”: the rules of the " +
      "current directory and of its newest session. Rules in config files are not listed.",
    examples: ["holdfast rules", "holdfast rules --session 4f2a91c0", "holdfast rules revoke 2"],
  })
    .addOption(directoryOption("Project directory (default: the current directory)"))
    .option("--session <id>", "Session whose rules are listed too (default: the newest session)")
    .option("--json", "Print the rules as a line of JSON");
  addClientOptions(rules).action(async (options: Given) => {
    onDone(await (await import("./rules-command.ts")).listRules(placed(options)));
  });
  addHelp(rules.command("revoke [numbers...]"), {
    summary: "Remove remembered rules by the numbers that `holdfast rules` prints",
    examples: ["holdfast rules revoke 2", "holdfast rules revoke --all"],
  })
    .option("--all", "Remove all listed rules")
    .action(async (numbers: readonly string[], options: { all?: true }) => {
      const { revokeRules } = await import("./rules-command.ts");
      onDone(await revokeRules({ ...placed(rules.opts<Given>()), ...options, rules: numbers }));
    });
}

function placed(options: Given): RulesOptions {
  return { ...options, directory: options.directory ?? process.cwd() };
}
