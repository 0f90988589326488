import { Argument, Option } from "commander";
import type { Command } from "commander";
import { addClientOptions } from "../client-options.ts";
import type { ClientOptions, PlacedOptions } from "../client-options.ts";
import { directoryOption, examples, readTime, storeOption } from "../help-text.ts";
import type { AcpInput } from "../acp/acp-command.ts";
import { named, readCount, sessionMeaning } from "./define-clients.ts";

const shells = ["bash", "zsh", "fish"] as const;

/** Commands about the program and its surroundings. */
export function defineOtherCommands(program: Command, onDone: (exitCode: number) => void): void {
  const models = program
    .command("models")
    .summary("list the models that are connected, and how to connect one")
    .description(
      "List the providers that are connected, without their keys, and the models that they offer; " +
        "without any, say how to connect one. A server that is running on the store is asked: its " +
        "runs use what it has.",
    )
    .addOption(directoryOption("the project; the current folder if left out"))
    .option("--json", "print the result as one line of JSON");
  addClientOptions(models)
    .addHelpText("after", examples(["holdfast models"]))
    .action(async (options: PlacedOptions & { json?: true }) => {
      onDone(await (await import("./models-command.ts")).listModels(options));
    });

  program
    .command("doctor")
    .summary("check a whole store against every promise")
    .description(
      "Check a whole store against every promise: logs, states, ledger, bodies, links between " +
        "sessions. Also say whether commands run in a sandbox on this machine. Changes nothing, and " +
        "works while another process runs. Exits 1 on a violation.",
    )
    .option("--json", "print the result as one line of JSON")
    .addOption(storeOption())
    .addHelpText(
      "after",
      examples(["holdfast doctor", "holdfast doctor --store ./holdfast.db --json"]),
    )
    .action(async (options: { store: string; json?: true }) => {
      onDone(await (await import("./doctor-command.ts")).diagnose(options));
    });

  program
    .command("backup")
    .summary("copy the store into a new file and check the copy, also while a server works on it")
    .argument("<file>", "a file that is not there yet")
    .option("--no-check", "do not check the copy, which takes as long as `holdfast doctor` does")
    .option("--json", "print the result as one line of JSON")
    .addOption(storeOption())
    .addHelpText(
      "after",
      examples(["holdfast backup sessions.db", "holdfast backup --no-check sessions.db"]),
    )
    .action(async (file: string, options: { store: string; check: boolean; json?: true }) => {
      onDone(await (await import("./backup-command.ts")).backUp({ ...options, file }));
    });

  program
    .command("tidy")
    .summary("archive and delete old sessions as your config says, and give room back")
    .description(
      "Archive and delete old sessions as `retention` in your config says, remove what only deleted " +
        "sessions had, and give the room back. Outcomes of their prompts stay on record. A file that " +
        "a server works on can only be looked at: stop the server first.",
    )
    .option("--dry-run", "say what there is to do, and change nothing")
    .option("--json", "print the result as one line of JSON")
    .addOption(storeOption())
    .addHelpText("after", examples(["holdfast tidy --dry-run", "holdfast tidy"]))
    .action(async (options: { store: string; dryRun?: true; json?: true }) => {
      onDone(await (await import("./tidy-command.ts")).tidyStore(options));
    });

  program
    .command("completion")
    .summary("print a script that completes commands and options in a shell")
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .addHelpText(
      "after",
      examples([
        "source <(holdfast completion bash)",
        "holdfast completion fish > ~/.config/fish/completions/holdfast.fish",
      ]),
    )
    .action(async (shell: (typeof shells)[number]) => {
      const { completionScript } = await import("./completion.ts");
      console.log(completionScript(program, shell));
    });
}

export function defineAcp(program: Command, onDone: (exitCode: number) => void): void {
  program
    .command("acp")
    .summary("be the agent of an editor, over stdin and stdout")
    .description(
      "Be the agent of an editor that speaks the Agent Client Protocol, such as Zed, JetBrains' or Emacs: " +
        "editors start this command themselves. The server on the store does the work, and one is " +
        "started where there is none; when the editor goes away, its sessions go on.",
    )
    .addOption(storeOption())
    .addOption(
      new Option("--server <url>", "a server elsewhere; its token is taken from HOLDFAST_TOKEN"),
    )
    .addOption(
      new Option("--patience <time>", "how long to wait for a server that is away")
        .argParser(readTime)
        .default(60_000, "1m"),
    )
    .addHelpText("after", examples(["holdfast acp", "holdfast acp --server https://build:4747"]))
    .action(async (options: AcpInput) => {
      onDone(await (await import("../acp/acp-command.ts")).speakAcp(options));
    });
}

type AttachOptions = ClientOptions & { readonly tail: number; readonly json?: true };

export function defineAttach(program: Command, onDone: (exitCode: number) => void): void {
  const command = program
    .command("attach")
    .summary("follow a session live, and send it prompts")
    .description(
      "Follow a session live. At a terminal a line that you type is queued as a prompt; /steer and " +
        "/interrupt before it deliver it otherwise, Esc cancels what runs and waits, and questions " +
        "are answered in place. Leaving with Ctrl-D or Ctrl-C leaves the session at work. Needs a server.",
    )
    .argument("[session]", sessionMeaning)
    .option("--tail <number>", "how many of the latest events to begin with", readCount, 50)
    .option("--json", "print one line of JSON for each event instead of text");
  addClientOptions(command)
    .addHelpText("after", examples(["holdfast attach", "holdfast attach session-1234 --tail 50"]))
    .action(async (session: string | undefined, options: AttachOptions) => {
      const { attach } = await import("./attach-command.ts");
      onDone(await attach({ ...options, ...named(session) }));
    });
}
