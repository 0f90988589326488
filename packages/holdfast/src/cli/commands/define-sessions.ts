import { Option } from "commander";
import type { Command } from "commander";
import { addClientOptions } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { readCount } from "./define-clients.ts";
import { directoryOption, examples } from "../help-text.ts";
import type { PromptsOptions } from "./prompts-command.ts";
import type { ListOptions } from "./sessions-command.ts";
import { readStatuses, sessionStatuses } from "./session-status.ts";

const statuses = ["queued", "running", "settled"] as const;

type OnDone = (exitCode: number) => void;

/** Commands about what is in a store; they are loaded when they are used. */
export function defineSessionCommands(program: Command, onDone: OnDone): void {
  defineSessions(program, onDone);
  defineShow(program, onDone);
  definePrompts(program, onDone);
  defineRevert(program, onDone);
  defineExport(program, onDone);
  defineImport(program, onDone);
}

function defineSessions(program: Command, onDone: OnDone): void {
  const sessions = program
    .command("sessions")
    .summary("list sessions, newest first; rename, archive, fork or delete one")
    .description(
      "List sessions, newest first: id, when something last happened, what it is doing, where it " +
        "works, and its title. Works while another process runs.",
    )
    .addOption(directoryOption("of this directory alone"))
    .option("--search <text>", "with this in the title, the directory or the id")
    .option("--archived", "archived ones alone")
    .addOption(
      new Option("--status <status>", "those alone that are doing this; several with commas")
        .choices(sessionStatuses)
        .argParser(readStatuses),
    )
    .option("--all", "all of them, and those that other sessions have started")
    .option("--json", "print one line of JSON for each session");
  addClientOptions(sessions)
    .addHelpText(
      "after",
      examples([
        "holdfast sessions",
        "holdfast sessions --dir . --json",
        "holdfast sessions --status asking,held",
        'holdfast sessions rename session-1234 "the flaky test"',
        "holdfast sessions fork session-1234",
      ]),
    )
    .action(async (options: ListOptions) => {
      onDone(await (await import("./sessions-command.ts")).listSessions(options));
    });
  const part = (name: string, summary: string): Command => sessions.command(name).summary(summary);
  // Where the sessions are is said to the whole, before the part or behind it.
  const place = (): ClientOptions => sessions.opts<ClientOptions>();
  part("rename <session> <title>", "give a session another title").action(
    async (session: string, title: string) => {
      const { renameSession } = await import("./session-commands.ts");
      onDone(await renameSession({ ...place(), session, title }));
    },
  );
  part("archive <session>", "leave a session out of the list until its next prompt").action(
    async (session: string) => {
      const { archiveSession } = await import("./session-commands.ts");
      onDone(await archiveSession({ ...place(), session }));
    },
  );
  part("unarchive <session>", "put it back into the list").action(async (session: string) => {
    const { unarchiveSession } = await import("./session-commands.ts");
    onDone(await unarchiveSession({ ...place(), session }));
  });
  part("fork <session>", "start a session with another's messages")
    .option("--at <seq>", "up to this event alone; all of them if left out", readCount)
    .option("--new-id <id>", "the new session's id")
    .action(async (session: string, options: { at?: number; newId?: string }) => {
      const { forkSession } = await import("./session-commands.ts");
      onDone(await forkSession({ ...place(), ...options, session }));
    });
  part("delete <session>", "cancel all that is unsettled, and take no more prompts")
    .option("--yes", "do not ask")
    .action(async (session: string, options: { yes?: true }) => {
      const { deleteSession } = await import("./session-commands.ts");
      onDone(await deleteSession({ ...place(), ...options, session }));
    });
}

function defineShow(program: Command, onDone: OnDone): void {
  const command = program
    .command("show")
    .summary("show a session's conversation")
    .description("Show a session's conversation, with its tool calls and what became of each.")
    .argument("<session>", "the session's id")
    .option("--json", "print one line of JSON for each event, with its content");
  addClientOptions(command)
    .addHelpText("after", examples(["holdfast show session-1234"]))
    .action(async (session: string, options: ClientOptions & { json?: true }) => {
      onDone(await (await import("./show-command.ts")).showSession({ ...options, session }));
    });
}

function definePrompts(program: Command, onDone: OnDone): void {
  const command = program
    .command("prompts")
    .summary("list prompts and what became of them")
    .description("List prompts and what became of them. Works while another process runs.")
    .option("--session <id>", "of this session alone")
    .addOption(new Option("--status <status>", "with this status alone").choices(statuses))
    .option("--json", "print one line of JSON for each prompt");
  addClientOptions(command)
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

function defineRevert(program: Command, onDone: OnDone): void {
  const command = program
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
    .option("--json", "print the plan as one line of JSON; with --yes also what came of it");
  addClientOptions(command)
    .addHelpText(
      "after",
      examples(["holdfast revert", "holdfast revert --session session-1234 --yes"]),
    )
    .action(async (options: RevertOptions) => {
      const directory = options.directory ?? process.cwd();
      onDone(await (await import("./revert-command.ts")).revertRun({ ...options, directory }));
    });
}

interface RevertOptions extends ClientOptions {
  readonly directory?: string;
  readonly session?: string;
  readonly run?: string;
  readonly yes?: true;
  readonly force?: true;
  readonly json?: true;
}

function defineExport(program: Command, onDone: OnDone): void {
  const command = program
    .command("export")
    .summary("write a session to one JSON file")
    .description(
      "Write a session as one JSON document: its events, its prompts with their outcomes, and every " +
        "text that they refer to.",
    )
    .argument("<session>", "the session's id")
    .option("--output <file>", "a new file to write to; stdout if left out");
  addClientOptions(command)
    .addHelpText("after", examples(["holdfast export session-1234 --output session.json"]))
    .action(async (session: string, options: ClientOptions & { output?: string }) => {
      onDone(await (await import("./export-command.ts")).exportSession({ ...options, session }));
    });
}

function defineImport(program: Command, onDone: OnDone): void {
  const command = program
    .command("import")
    .summary("start a session from an exported one")
    .description(
      "Start a session that begins with the conversation of an exported one. What had not ended in " +
        "that is not taken up again.",
    )
    .argument("<file>", "what holdfast export has written; - for stdin")
    .addOption(directoryOption("where the session works; where it did if left out"))
    .option("--session <id>", "the new session's id")
    .option("--json", "print the new session as one line of JSON");
  addClientOptions(command)
    .addHelpText("after", examples(["holdfast import session.json --dir ."]))
    .action(async (file: string, options: ImportOptions) => {
      onDone(await (await import("./import-command.ts")).importSession({ ...options, file }));
    });
}

interface ImportOptions extends ClientOptions {
  readonly directory?: string;
  readonly session?: string;
  readonly json?: true;
}
