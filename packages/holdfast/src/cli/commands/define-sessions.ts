import { Option } from "commander";
import type { Command } from "commander";
import { addClientOptions } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { named, readCount, sessionMeaning } from "./define-queue.ts";
import { addHelp, directoryOption } from "../help-text.ts";
import type { ListOptions, PromptsOptions } from "./sessions-command.ts";
import { readStatuses, sessionStatuses } from "./session-status.ts";

const statuses = ["queued", "running", "settled"] as const;

type OnDone = (exitCode: number) => void;

/** Defines the commands that show, undo, export and import the history of a session. */
export function definePastCommands(program: Command, onDone: OnDone): void {
  defineUndo(program, onDone);
  definePrompts(program, onDone);
  defineExport(program, onDone);
  defineImport(program, onDone);
}

export function defineSessions(program: Command, onDone: OnDone): void {
  const sessions = addHelp(program.command("sessions"), {
    summary: "List, rename, archive, fork or delete sessions",
    description:
      "List sessions, newest first, with id, last activity, status, directory and title. Works while a server or " +
      "another command is running.",
    examples: [
      "holdfast sessions",
      "holdfast sessions --dir . --json",
      "holdfast sessions --status asking,held",
      'holdfast sessions rename "the flaky test"',
      "holdfast sessions fork 4f2a91c0",
    ],
  })
    .addOption(directoryOption("Only sessions of this directory"))
    .option("--search <text>", "Only sessions with this text in the title, directory or id")
    .option("--archived", "Only archived sessions")
    .addOption(
      new Option(
        "--status <status>",
        "Only sessions with this status; separate multiple values with commas",
      )
        .choices(sessionStatuses)
        .argParser(readStatuses),
    )
    .option("--all", "Include archived sessions and sessions that agents have started")
    .option("--json", "Print each session as a line of JSON");
  addClientOptions(sessions).action(async (options: ListOptions) => {
    onDone(await (await import("./sessions-command.ts")).listSessions(options));
  });
  const part = (usage: string, summary: string, example: string): Command =>
    addHelp(sessions.command(usage), { summary, examples: [`holdfast sessions ${example}`] });
  // The options --store and --server are defined on `sessions`, not on its subcommands.
  const place = (): ClientOptions => sessions.opts<ClientOptions>();
  part(
    "rename <title> [session]",
    "Change the title of a session",
    'rename "the flaky test" 4f2a91c0',
  ).action(async (title: string, session: string | undefined) => {
    const { renameSession } = await import("./session-commands.ts");
    onDone(await renameSession({ ...place(), ...named(session), title }));
  });
  part(
    "archive [session]",
    "Hide a session from the list until its next prompt",
    "archive 4f2a91c0",
  ).action(async (session: string | undefined) => {
    const { archiveSession } = await import("./session-commands.ts");
    onDone(await archiveSession({ ...place(), ...named(session) }));
  });
  part(
    "unarchive <session>",
    "Show an archived session in the list again",
    "unarchive 4f2a91c0",
  ).action(async (session: string) => {
    const { unarchiveSession } = await import("./session-commands.ts");
    onDone(await unarchiveSession({ ...place(), session }));
  });
  part(
    "fork [session]",
    "Create a session with a copy of the messages of another session",
    "fork --at 42",
  )
    .option(
      "--at <seq>",
      "Copy only the messages up to this event number (default: all)",
      readCount,
    )
    .option("--new-id <id>", "Id of the new session")
    .action(async (session: string | undefined, options: { at?: number; newId?: string }) => {
      const { forkSession } = await import("./session-commands.ts");
      onDone(await forkSession({ ...place(), ...options, ...named(session) }));
    });
  part("delete [session]", "Delete a session and cancel its prompts", "delete 4f2a91c0")
    .option("--yes", "Do not ask for confirmation")
    .action(async (session: string | undefined, options: { yes?: true }) => {
      const { deleteSession } = await import("./session-commands.ts");
      onDone(await deleteSession({ ...place(), ...options, ...named(session) }));
    });
}

export function defineShow(program: Command, onDone: OnDone): void {
  const command = addHelp(program.command("show"), {
    summary: "Print the conversation of a session",
    description: "Print the conversation of a session, with its tool calls and their results.",
    examples: ["holdfast show", "holdfast show 4f2a91c0 --json"],
  })
    .argument("[session]", sessionMeaning)
    .option("--json", "Print each event as a line of JSON, with its content");
  addClientOptions(command).action(
    async (session: string | undefined, options: ClientOptions & { json?: true }) => {
      const { showSession } = await import("./show-command.ts");
      onDone(await showSession({ ...options, ...named(session) }));
    },
  );
}

function definePrompts(program: Command, onDone: OnDone): void {
  const command = addHelp(program.command("prompts"), {
    summary: "List prompts with their status and outcome",
    description:
      "List the prompts of a session with their status and outcome, oldest first. Works while a server or another " +
      "command is running.",
    examples: ["holdfast prompts", "holdfast prompts --all --status queued"],
  })
    .option("--session <id>", sessionMeaning)
    .addOption(new Option("--all", "List the prompts of all sessions").conflicts("session"))
    .addOption(new Option("--status <status>", "Only prompts with this status").choices(statuses))
    .option("--json", "Print each prompt as a line of JSON");
  addClientOptions(command).action(async (options: PromptsOptions) => {
    onDone(await (await import("./sessions-command.ts")).listPrompts(options));
  });
}

function defineUndo(program: Command, onDone: OnDone): void {
  const command = addHelp(program.command("undo"), {
    summary: "Undo the file changes of a prompt",
    description:
      "Undo the file changes of a prompt, after showing the diff. At a terminal you choose the prompt; otherwise the last " +
      "prompt is undone. Only changes that the agent or its subtasks made with the file tools are undone; changes by shell " +
      "commands are listed and kept. Nothing is undone while a prompt is running, or if a file was edited again later.",
    examples: ["holdfast undo", "holdfast undo 7b3e55d1 --yes"],
  })
    .argument(
      "[prompt]",
      "Prompt id (default: you choose one from a list; without a terminal the last prompt)",
    )
    .option("--session <id>", "Session id (default: the newest session of the directory)")
    .addOption(directoryOption("Directory (default: the current directory)").conflicts("session"))
    .option("--yes", "Do not ask for confirmation")
    .option(
      "--force",
      "Also restore files that were edited again after the prompt; the later edits are lost",
    )
    .option(
      "--json",
      "Print the changes that would be undone as a line of JSON; with --yes, undo them and print the result too",
    );
  addClientOptions(command).action(async (prompt: string | undefined, options: UndoOptions) => {
    const directory = options.directory ?? process.cwd();
    const { undoPrompt } = await import("./undo-command.ts");
    const chosen = prompt === undefined ? {} : { prompt };
    onDone(await undoPrompt({ ...options, ...chosen, directory }));
  });
}

interface UndoOptions extends ClientOptions {
  readonly directory?: string;
  readonly session?: string;
  readonly yes?: true;
  readonly force?: true;
  readonly json?: true;
}

function defineExport(program: Command, onDone: OnDone): void {
  const command = addHelp(program.command("export"), {
    summary: "Export a session as a JSON file or an HTML report",
    description:
      "Export a session as one JSON document with its events, prompts, outcomes and texts. With --html, write a report " +
      "for people instead: one file that any browser shows without a server.",
    examples: [
      "holdfast export 4f2a91c0 --output session.json",
      "holdfast export 4f2a91c0 --html --output report.html",
    ],
  })
    .argument("[session]", sessionMeaning)
    .option("--html", "Write an HTML report, which cannot be imported")
    .option("--run <id>", "Export only this run; requires --html")
    .option("--output <file>", "File to create (default: print to stdout)");
  addClientOptions(command).action(async (session: string | undefined, options: ExportOptions) => {
    const { exportSession } = await import("./copy-commands.ts");
    onDone(await exportSession({ ...options, ...named(session) }));
  });
}

interface ExportOptions extends ClientOptions {
  readonly output?: string;
  readonly html?: true;
  readonly run?: string;
}

function defineImport(program: Command, onDone: OnDone): void {
  const command = addHelp(program.command("import"), {
    summary: "Create a session from an exported file",
    description:
      "Create a session with the conversation of an exported session. Unfinished prompts are not continued.",
    examples: ["holdfast import session.json --dir ."],
  })
    .argument("<file>", "File that `holdfast export` has written; - reads stdin")
    .addOption(
      directoryOption(
        "Directory of the new session (default: the directory of the exported session)",
      ),
    )
    .option("--session <id>", "Id of the new session")
    .option("--json", "Print the new session as a line of JSON");
  addClientOptions(command).action(async (file: string, options: ImportOptions) => {
    onDone(await (await import("./copy-commands.ts")).importSession({ ...options, file }));
  });
}

interface ImportOptions extends ClientOptions {
  readonly directory?: string;
  readonly session?: string;
  readonly json?: true;
}
