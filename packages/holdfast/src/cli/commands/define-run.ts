import { Option } from "commander";
import type { Command } from "commander";
import { addClientOptions } from "../client-options.ts";
import {
  addHelp,
  directoryOption,
  exitCodeHelp,
  readDollars,
  readId,
  readTime,
} from "../help-text.ts";
import type { RunInput } from "./run-command.ts";

const efforts = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;
const deliveries = ["queue", "steer", "interrupt", "ifIdle"] as const;

const modes = ["ask", "acceptEdits", "plan"] as const;

export function defineRun(program: Command, onDone: (exitCode: number) => void): void {
  const command = addHelp(program.command("run"), {
    summary: "Send a prompt to an agent and show its work",
    description:
      "Send a prompt to a session, and show what the agent does until the prompt has ended. A server does the work; the " +
      "command starts one in the background if none is running. Connect a model first (holdfast connect), or try the demo " +
      'agent, which needs no model: holdfast run --agent demo "help"',
    examples: runExamples,
    note: exitCodeHelp,
  })
    .argument(
      "[prompt]",
      "Task for the agent, or a project command such as /review. Leave it out or write - to read the task from stdin. May be " +
        "empty with --file.",
    )
    .addOption(
      directoryOption("Directory of a new session (default: the current directory)").conflicts(
        "session",
      ),
    )
    .option("--session <id>", "Continue this session instead of starting a new one")
    .addOption(
      new Option("-c, --continue", "Continue the newest session of the directory").conflicts(
        "session",
      ),
    )
    .option(
      "-m, --model <name>",
      "Model as provider/name (default: from the config). External agents have their own models (docs/HOSTED.md)",
    )
    .addOption(
      new Option(
        "-a, --agent <name>",
        'Agent that does the work; `holdfast agents` lists all, including external ones. "demo" needs no model',
      ).env("HOLDFAST_AGENT"),
    )
    .option(
      "--agent-mode <name>",
      "Set a mode of an external agent such as Claude Code (docs/HOSTED.md). --mode is Holdfast's permission mode",
    )
    .addOption(
      new Option(
        "--effort <level>",
        "Amount of reasoning by the model. If the model does not have this level, Holdfast uses the nearest one",
      ).choices(efforts),
    )
    .option("--thinking", "Let the model think before it answers")
    .option(
      "--no-thinking",
      "Let the model answer without thinking first, if the model supports that",
    )
    .addOption(
      new Option("--file <file>", "Attach a text, image or PDF file; repeatable")
        .argParser((file: string, files: string[]) => [...files, file])
        .default([], "none"),
    )
    .option("--no-stdin", "Do not read stdin, unless the prompt is -")
    .addOption(
      new Option("--detach", "Send the prompt, print its id and exit; the server does the work")
        .conflicts("schema")
        .conflicts("embedded")
        .conflicts("timeout"),
    )
    .addOption(
      new Option(
        "--mode <mode>",
        "Permission mode: ask before changes (ask), edit files without asking (acceptEdits), or change nothing (plan)",
      ).choices(modes),
    )
    .option("--yes", "Allow everything that the agent asks permission for")
    .option("-q, --quiet", "Print only the final answer")
    .option("--json", "Print each event as a line of JSON")
    .option("--schema <file>", "Require an answer in JSON that matches this JSON schema")
    .option(
      "--timeout <time>",
      "Cancel the prompt after this time, such as 500ms, 30s or 5m",
      readTime,
    )
    .option(
      "--budget <dollars>",
      "Limit the cost of the prompt and of all subtasks that it starts, such as 2 or 0.50",
      readDollars,
    )
    .addOption(
      new Option(
        "--on-budget <action>",
        "Action when the budget is spent: end the prompt as failed (fail), or ask a person for more (ask)",
      )
        .choices(["fail", "ask"] as const)
        .default("fail"),
    )
    .addOption(
      new Option(
        "--delivery <kind>",
        "Action if a prompt is already running: wait (queue), join it (steer), stop it (interrupt), or fail (ifIdle)",
      )
        .choices(deliveries)
        .default("queue"),
    )
    .option(
      "--prompt-id <id>",
      "Id of the prompt. If the same id is sent twice, the prompt runs once",
      readId,
    )
    .option("--release", "Resume the session if it is paused")
    .addOption(
      new Option("--patience <time>", "Time to keep trying if the server cannot be reached")
        .argParser(readTime)
        .default(60_000, "1m"),
    );
  addClientOptions(command).action(async (text: string | undefined, options: RunOptions) => {
    const { runPrompt } = await import("./run-command.ts");
    const { agent = "", ...rest } = options;
    const isUsual = command.getOptionValueSource("agent") === "env";
    const named = agent === "" ? {} : isUsual ? { usualAgent: agent } : { agent };
    const directory = options.directory ?? process.cwd();
    onDone(await runPrompt({ ...rest, ...named, text, directory }));
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
