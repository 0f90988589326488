import { Argument, Option } from "commander";
import type { Command } from "commander";
import { addClientOptions } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { addHelp, directoryOption, readTime, storeOption } from "../help-text.ts";
import type { AcpInput } from "../acp/acp-command.ts";
import type { DoctorOptions } from "./doctor-command.ts";
import type { ModelsOptions } from "./models-command.ts";
import { completionScript, shells } from "../completion/scripts.ts";
import type { Shell } from "../completion/scripts.ts";
import { named, readCount, sessionMeaning } from "./define-queue.ts";

export function defineModels(program: Command, onDone: (exitCode: number) => void): void {
  const models = addHelp(program.command("models"), {
    summary: "List and search models, with prices and limits",
    description:
      "List the models of the connected providers: context window, price, reasoning levels, and the date on which " +
      "the model is shut down. The default model is marked with *. If no provider is connected, print how to " +
      "connect one. While a server is running, the command lists the models of the server's providers.",
    examples: [
      "holdfast models",
      "holdfast models sonnet",
      "holdfast models --provider openai --json",
    ],
  })
    .argument("[search...]", "Words that the model's name must contain")
    .option("--provider <name>", "Only models of this provider")
    .option(
      "--all",
      "Also list models of providers that are not connected, and models that have been shut down",
    )
    .addOption(directoryOption("Project directory (default: the current directory)"))
    .option("--json", "Print the result as a line of JSON");
  addClientOptions(models).action(
    async (search: readonly string[], options: Omit<ModelsOptions, "search">) => {
      onDone(await (await import("./models-command.ts")).listModels({ ...options, search }));
    },
  );
}

export function defineDoctor(program: Command, onDone: (exitCode: number) => void): void {
  addHelp(program.command("doctor"), {
    summary: "Check this machine, the settings and the database",
    description:
      "Check this machine (Node, sandbox, disk, network, clock), the settings (config, file permissions, provider API keys, " +
      "MCP servers) and the database (every event log, prompt and outcome). Prints the fix for each problem. Tests each API " +
      "key with one cheap request. Works while a server is running. Changes nothing, except that it completes or rebuilds " +
      "the search index if no server is running. Exits with 1 if something is wrong.",
    examples: ["holdfast doctor", "holdfast doctor --store ./holdfast.db --json"],
  })
    .option("--json", "Print the result as a line of JSON")
    .option("--rebuild-search", "Rebuild the search index, even if it has no visible problem")
    .addOption(storeOption())
    .action(async (options: DoctorOptions) => {
      onDone(await (await import("./doctor-command.ts")).diagnose(options));
    });
}

export function defineCompletion(program: Command): void {
  addHelp(program.command("completion"), {
    summary: "Print a shell completion script",
    description:
      "Print a script that lets bash, zsh or fish complete commands, options, ids, models and agents. Ids and names come " +
      "from the running server.",
    examples: [
      "source <(holdfast completion bash)",
      "source <(holdfast completion zsh)",
      "mkdir -p ~/.config/fish/completions && holdfast completion fish > ~/.config/fish/completions/holdfast.fish",
    ],
  })
    .addArgument(new Argument("<shell>", "Shell to print the script for").choices(shells))
    .action((shell: Shell) => console.log(completionScript(shell)));
  addHelp(program.command("complete", { hidden: true }), {
    summary: "Print the possible next words of an incomplete command line",
    description:
      "Print the possible next words of an incomplete command line. The shell completion scripts call this command.",
    examples: ["holdfast complete -- run --model an"],
  })
    .argument("[words...]", "Words of the incomplete command line, without `holdfast`")
    .addOption(
      // The default is short, because a person waits after pressing the Tab key.
      new Option("--patience <time>", "Maximum time to wait until the server returns ids and names")
        .env("HOLDFAST_COMPLETION_PATIENCE")
        .argParser(readTime)
        .default(1_500, "1500ms"),
    )
    .action(async (words: readonly string[], { patience }: { patience: number }) => {
      const { complete } = await import("../completion/complete.ts");
      await complete(program, { words, patience });
    });
}

export function defineAcp(program: Command, onDone: (exitCode: number) => void): void {
  addHelp(program.command("acp"), {
    summary: "Run as an ACP agent for an editor",
    description:
      "Run as an agent for an editor that supports the Agent Client Protocol, such as Zed, a JetBrains IDE or " +
      "Emacs. The editor starts this command and talks to it over stdin and stdout. A Holdfast server does the " +
      "work; the command starts one if none is running. Sessions continue after the editor is closed.",
    examples: ["holdfast acp", "holdfast acp --server https://build:4747"],
  })
    .addOption(storeOption())
    .addOption(
      new Option("--server <url>", "Use the server at this URL, with the token in HOLDFAST_TOKEN"),
    )
    .addOption(
      new Option("--patience <time>", "Time to keep trying if the server cannot be reached")
        .argParser(readTime)
        .default(60_000, "1m"),
    )
    .action(async (options: AcpInput) => {
      onDone(await (await import("../acp/acp-command.ts")).speakAcp(options));
    });
}

type AttachOptions = ClientOptions & {
  readonly tail: number;
  readonly json?: true;
  readonly screenReader?: true;
};

export function defineAttach(program: Command, onDone: (exitCode: number) => void): void {
  const command = addHelp(program.command("attach"), {
    summary: "Open a session in the terminal client, or print its events",
    description:
      "Open a session in the terminal client, as `holdfast -c` does with the newest session. Without a terminal, print " +
      "the events of the session until you stop the command with Ctrl-C. The session itself keeps running.",
    examples: ["holdfast attach", "holdfast attach session-1234 --tail 50"],
  })
    .argument("[session]", sessionMeaning)
    .option(
      "--tail <number>",
      "Without a terminal: number of earlier events to print first",
      readCount,
      50,
    )
    .option("--screen-reader", "Print plain lines for a screen reader")
    .option("--json", "Print each event as a line of JSON");
  addClientOptions(command).action(async (session: string | undefined, options: AttachOptions) => {
    const { attach } = await import("./attach-command.ts");
    // `holdfast` itself has --screen-reader too, and takes the value even if the option follows `attach`.
    const { screenReader } = command.optsWithGlobals<AttachOptions>();
    const plain = screenReader === true ? { screenReader } : {};
    onDone(await attach({ ...options, ...plain, ...named(session) }));
  });
}
