import { Option } from "commander";
import type { Command } from "commander";
import { directoryOption, examples, storeOption } from "./help-text.ts";

const statuses = ["queued", "running", "settled"] as const;

/** Commands about what is in a store; they are loaded when they are used. */
export function defineSessionCommands(program: Command, onDone: (exitCode: number) => void): void {
  program
    .command("sessions")
    .summary("list sessions, newest first")
    .description(
      "List sessions, newest first: id, when something last happened, what it is doing, where it " +
        "works, and its first words. Works while another process runs.",
    )
    .addOption(directoryOption("of this directory alone"))
    .option("--all", "all of them, and those that other sessions have started")
    .option("--json", "print one line of JSON for each session")
    .addOption(storeOption())
    .addHelpText("after", examples(["holdfast sessions", "holdfast sessions --dir . --json"]))
    .action(async (options: ListOptions) => {
      onDone(await (await import("./sessions-command.ts")).listSessions(options));
    });

  program
    .command("show")
    .summary("show a session's conversation")
    .description("Show a session's conversation, with its tool calls and what became of each.")
    .argument("<session>", "the session's id")
    .option("--json", "print one line of JSON for each event, with the content of its body")
    .addOption(storeOption())
    .addHelpText("after", examples(["holdfast show session-1234"]))
    .action(async (session: string, options: StoreOptions) => {
      onDone(await (await import("./show-command.ts")).showSession({ ...options, session }));
    });

  program
    .command("revert")
    .summary("put back the files that a run has changed")
    .description(
      "Put back the files that a run has changed, after showing the diff. Covers what the file " +
        "tools did, also in the tasks that the run waited for; what commands did is named. Refused " +
        "while a run is active, and when a file was changed since.",
    )
    .option("--session <id>", "the session; the newest one of the directory if left out")
    .option("--run <id>", "the run; the session's last one if left out")
    .addOption(
      directoryOption("the directory; the current folder if left out").conflicts("session"),
    )
    .option("--yes", "do not ask")
    .option("--force", "also where a file was changed since")
    .addOption(storeOption())
    .addHelpText(
      "after",
      examples(["holdfast revert", "holdfast revert --session session-1234 --yes"]),
    )
    .action(async (options: RevertOptions) => {
      const directory = options.directory ?? process.cwd();
      onDone(await (await import("./revert-command.ts")).revertRun({ ...options, directory }));
    });

  program
    .command("export")
    .summary("write a session to one JSON file")
    .description(
      "Write a session as one JSON document: its events, its prompts with their outcomes, and every " +
        "text that they refer to.",
    )
    .argument("<session>", "the session's id")
    .option("--output <file>", "a new file to write to; stdout if left out")
    .addOption(storeOption())
    .addHelpText("after", examples(["holdfast export session-1234 --output session.json"]))
    .action(async (session: string, options: StoreOptions & { readonly output?: string }) => {
      onDone(await (await import("./export-command.ts")).exportSession({ ...options, session }));
    });

  program
    .command("prompts")
    .summary("list prompts and what became of them")
    .description("List prompts and what became of them. Works while another process runs.")
    .option("--session <id>", "of this session alone")
    .addOption(new Option("--status <status>", "with this status alone").choices(statuses))
    .option("--json", "print one line of JSON for each prompt")
    .addOption(storeOption())
    .addHelpText(
      "after",
      examples([
        "holdfast prompts --status queued",
        "holdfast prompts --session session-1234 --json",
      ]),
    )
    .action(async (options: PromptsOptions) => {
      onDone(await (await import("./prompts-command.ts")).listPrompts(options));
    });
}

interface StoreOptions {
  readonly store: string;
  readonly json?: true;
}

interface ListOptions extends StoreOptions {
  readonly directory?: string;
  readonly all?: true;
}

interface RevertOptions {
  readonly store: string;
  readonly directory?: string;
  readonly session?: string;
  readonly run?: string;
  readonly yes?: true;
  readonly force?: true;
}

interface PromptsOptions extends StoreOptions {
  readonly session?: string;
  readonly status?: (typeof statuses)[number];
}
