import type { Command } from "commander";
import { addHelp, storeOption } from "../help-text.ts";

/** Defines the commands for the database. */
export function defineStore(program: Command, onDone: (exitCode: number) => void): void {
  const store = addHelp(program.command("store"), {
    summary: "Back up the database, or delete old sessions from it",
    description:
      "Back up the database, or delete old sessions from it. `holdfast doctor` checks the database.",
    examples: ["holdfast store backup sessions.db", "holdfast store tidy --dry-run"],
  });

  addHelp(store.command("backup"), {
    summary: "Back up the database to a new file",
    description:
      "Back up a SQLite database to a new file and check the copy. Works while a server is running. Back up a " +
      "PostgreSQL database with its own tools.",
    examples: ["holdfast store backup sessions.db", "holdfast store backup --no-check sessions.db"],
  })
    .argument("<file>", "File to create; it must not exist")
    .option("--no-check", "Do not check the copy; the check takes as long as `holdfast doctor`")
    .option("--json", "Print the result as a line of JSON")
    .addOption(storeOption())
    .action(async (file: string, options: { store: string; check: boolean; json?: true }) => {
      onDone(await (await import("./store-commands.ts")).backUp({ ...options, file }));
    });

  addHelp(store.command("tidy"), {
    summary: "Archive and delete old sessions",
    description:
      "Archive and delete old sessions as the `retention` settings in your config require, then free disk space. The " +
      "outcome of every prompt is kept. If the database is a SQLite file, an idle background server is stopped; stop any " +
      "other server first. --dry-run works while a server is running.",
    examples: ["holdfast store tidy --dry-run", "holdfast store tidy"],
  })
    .option("--dry-run", "Print how many sessions would be archived or deleted, and change nothing")
    .option("--json", "Print the result as a line of JSON")
    .addOption(storeOption())
    .action(async (options: { store: string; dryRun?: true; json?: true }) => {
      onDone(await (await import("./store-commands.ts")).tidyStore(options));
    });
}
