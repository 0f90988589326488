import { homedir } from "node:os";
import { resolve } from "node:path";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { defaultStore, version } from "../main.ts";
import { describeError, exitCodes } from "./cli-error.ts";
import { examineStore } from "./doctor-command.ts";
import { listPrompts } from "./prompts-command.ts";
import { runPrompt } from "./run-command.ts";

/** Runs one command line and answers its exit code; it prints, and never throws. */
export async function runCli(words: readonly string[]): Promise<number> {
  // Somebody who reads the first lines only, as `head` does, has seen enough.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? exitCodes.ok : exitCodes.failure);
  });
  let code: number = exitCodes.ok;
  const program = createProgram((exitCode) => {
    code = exitCode;
  });
  try {
    if (words.length === 0) program.outputHelp();
    else await program.parseAsync(words, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    }
    const { line, exitCode } = describeError(error);
    console.error(line);
    if (process.env["HOLDFAST_DEBUG"] === "1") console.error(error);
    return exitCode;
  }
}

const deliveries = ["queue", "steer", "interrupt", "ifIdle"] as const;
const statuses = ["queued", "running", "settled"] as const;

function createProgram(onDone: (exitCode: number) => void): Command {
  const program = new Command("holdfast")
    .description("A runtime for coding-agent sessions that never loses a prompt.")
    .version(version(), "--version", "print the version")
    .helpCommand("help [command]", "print help for a command")
    .helpOption("--help", "print help")
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      outputError: (text, write) => write(usageLine(text)),
    })
    .addHelpText("after", examples(programExamples) + exitCodeHelp);

  program
    .command("run")
    .summary("send a prompt to a session and show the work until its outcome")
    .description(
      "Send a prompt to a session and show the work until its outcome. The agent is the demo agent: " +
        "offline, no model; it does what the prompt says (try: holdfast run help).",
    )
    .argument("<prompt>", "what the session shall do")
    .addOption(
      new Option(
        "--directory <folder>",
        "where a new session works; the current folder if left out",
      )
        .argParser((folder: string) => resolve(folder))
        .conflicts("session"),
    )
    .addOption(storeOption())
    .option("--session <id>", "continue this session instead of starting a new one")
    .option("--prompt-id <id>", "the prompt's id: sending it twice is sending it once")
    .addOption(
      new Option("--delivery <kind>", "what the prompt does when the session is busy")
        .choices(deliveries)
        .default("queue"),
    )
    .option(
      "--timeout <time>",
      "cancel the prompt after this time, such as 500ms, 30s or 5m",
      readTime,
    )
    .option("--release", "lift a hold that waits for a person, and go on")
    .option("--json", "print one line of JSON for each event instead of text")
    .addHelpText("after", examples(runExamples) + exitCodeHelp)
    .action(async (text: string, options: RunOptions) => {
      onDone(await runPrompt({ ...options, text, directory: options.directory ?? process.cwd() }));
    });

  program
    .command("prompts")
    .summary("list prompts and what became of them")
    .description("List prompts and what became of them. Works while another process runs.")
    .option("--session <id>", "of this session alone")
    .addOption(storeOption())
    .addOption(new Option("--status <status>", "with this status alone").choices(statuses))
    .option("--json", "print one line of JSON for each prompt")
    .addHelpText("after", examples(promptsExamples))
    .action(async (options: PromptsOptions) => {
      onDone(await listPrompts(options));
    });

  program
    .command("doctor")
    .summary("check a whole store against every promise")
    .description(
      "Check a whole store against every promise: logs, states, ledger, bodies, links between " +
        "sessions. Changes nothing, and works while another process runs. Exits 1 on a violation.",
    )
    .addOption(storeOption())
    .option("--json", "print the result as one line of JSON")
    .addHelpText("after", examples(doctorExamples))
    .action(async (options: DoctorOptions) => {
      onDone(await examineStore(options));
    });
  return program;
}

interface RunOptions {
  readonly store: string;
  readonly directory?: string;
  readonly session?: string;
  readonly promptId?: string;
  readonly delivery: (typeof deliveries)[number];
  readonly timeout?: number;
  readonly release?: true;
  readonly json?: true;
}

interface PromptsOptions {
  readonly store: string;
  readonly session?: string;
  readonly status?: (typeof statuses)[number];
  readonly json?: true;
}

interface DoctorOptions {
  readonly store: string;
  readonly json?: true;
}

function storeOption(): Option {
  return new Option("--store <file>", "the store: a file, or postgres://user@host/database")
    .argParser((store: string) => (store.includes("://") ? store : resolve(store)))
    .default(defaultStore(process.env, homedir()));
}

function readTime(text: string): number {
  const match = /^(\d{1,9})(ms|s|m)$/.exec(text);
  const unit = { ms: 1, s: 1_000, m: 60_000 }[match?.[2] ?? ""] ?? 0;
  const time = Number(match?.[1] ?? 0) * unit;
  if (time > 0 && time < 2 ** 31) return time;
  throw new InvalidArgumentError("Write a time like 500ms, 30s or 5m.");
}

/** Commander says what is wrong; what to do is added, and a code that stays the same. */
function usageLine(text: string): string {
  const message = text
    .replace(/^error: /, "")
    .trim()
    .replaceAll("\n", " ");
  return `holdfast: usage: ${message.replace(/\.$/, "")}; \`holdfast help\` shows what there is\n`;
}

function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`;
}

const programExamples = [
  'holdfast run "say hello slowly"',
  "holdfast prompts --status settled",
  "holdfast doctor",
];
const runExamples = [
  'holdfast run "say hello; append notes.txt it works"',
  'holdfast run --session session-1234 "say I am back"',
  'holdfast run --session session-1234 --prompt-id deploy-7 "say only once"',
  'holdfast run --json --timeout 30s "steps 3" | jq .type',
];
const promptsExamples = [
  "holdfast prompts",
  "holdfast prompts --session session-1234 --json",
  "holdfast prompts --status queued",
];
const doctorExamples = [
  "holdfast doctor",
  "holdfast doctor --store ./holdfast.db --json",
  "holdfast doctor --store postgres://holdfast@localhost/holdfast",
];
const exitCodeHelp =
  "\nExit codes: 0 completed, 1 failed or cancelled, 2 wrong usage, 130 interrupted with Ctrl-C\n";
