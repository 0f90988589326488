import { Option } from "commander";
import type { Command } from "commander";
import { addClientOptions } from "../client-options.ts";
import {
  directoryOption,
  examples,
  exitCodeHelp,
  readDollars,
  readId,
  readTime,
} from "../help-text.ts";
import type { RunInput } from "./run-command.ts";

const deliveries = ["queue", "steer", "interrupt", "ifIdle"] as const;

export function defineRun(program: Command, onDone: (exitCode: number) => void): void {
  const command = program
    .command("run")
    .summary("send a prompt to a session and show the work until its outcome")
    .description(
      "Send a prompt to a session and show the work until its outcome. With a model connected " +
        "(holdfast models) the coding agent works on it; without one the demo agent does what the " +
        "prompt says (try: holdfast run help). A server that is running on the store does the work; " +
        "without one this process does it.",
    )
    .argument(
      "[prompt]",
      "what the session shall do, or a command as /name; left out or - to read it from stdin; " +
        "may be empty with --file",
    )
    .addOption(
      directoryOption("where a new session works; the current folder if left out").conflicts(
        "session",
      ),
    )
    .option("--session <id>", "continue this session instead of starting a new one")
    .addOption(
      new Option("--continue", "continue the newest session of the directory").conflicts("session"),
    )
    .option("--model <name>", "the model, as provider/name; else the config's, else the default")
    .option("--agent <name>", "who works on it: one of `holdfast agents`")
    .addOption(
      new Option("--file <file>", "send a text, an image or a PDF along; may be repeated")
        .argParser((file: string, files: string[]) => [...files, file])
        .default([], "none"),
    )
    .option("--yes", "allow everything that the agent asks permission for")
    .option("--quiet", "print the final answer only")
    .option("--json", "print one line of JSON for each event instead of text")
    .option("--schema <file>", "the answer must be JSON that fits this JSON schema")
    .option(
      "--timeout <time>",
      "cancel the prompt after this time, such as 500ms, 30s or 5m",
      readTime,
    )
    .option(
      "--budget <dollars>",
      "what the prompt may cost, with all work that it starts, such as 2 or 0.50",
      readDollars,
    )
    .addOption(
      new Option("--on-budget <action>", "what a spent budget does: end the work, or ask for more")
        .choices(["fail", "ask"] as const)
        .default("fail"),
    )
    .addOption(
      new Option("--delivery <kind>", "what the prompt does when the session is busy")
        .choices(deliveries)
        .default("queue"),
    )
    .option("--prompt-id <id>", "the prompt's id: sending it twice is sending it once", readId)
    .option("--release", "lift a hold that waits for a person, and go on")
    .addOption(
      new Option("--patience <time>", "how long to wait for a server that is away")
        .argParser(readTime)
        .default(60_000, "1m"),
    );
  addClientOptions(command)
    .addHelpText("after", examples(runExamples) + exitCodeHelp)
    .action(async (text: string | undefined, options: RunOptions) => {
      const { runPrompt } = await import("./run-command.ts");
      onDone(await runPrompt({ ...options, text, directory: options.directory ?? process.cwd() }));
    });
}

type RunOptions = Omit<RunInput, "text" | "directory"> & { readonly directory?: string };

const runExamples = [
  'holdfast run "find out why the tests fail"',
  'holdfast run --continue "now fix it"',
  "git diff | holdfast run --file CONTRIBUTING.md --quiet -",
  'holdfast run --model local/qwen3 --yes "update the changelog"',
  'holdfast run --schema version.json "which version is this?" | jq .version',
  'holdfast run --session session-1234 --prompt-id deploy-7 "deploy it"',
];
