import { Command, CommanderError, Help } from "commander";
import type { Option } from "commander";
import { programVersion } from "../base/package.ts";
import { hideEnvironment } from "../compose/hidden-environment.ts";
import { exitCodes } from "./cli-error.ts";
import {
  defineAcp,
  defineAttach,
  defineCompletion,
  defineDoctor,
} from "./commands/define-others.ts";
import { defineNotifications } from "./commands/define-notifications.ts";
import { defineQueueCommands } from "./commands/define-queue.ts";
import { defineRun } from "./commands/define-run.ts";
import { defineRules } from "./commands/define-rules.ts";
import { defineSearch } from "./commands/define-search.ts";
import { defineServe } from "./commands/define-serve.ts";
import { defineLink, defineServer } from "./commands/define-server.ts";
import { defineService } from "./commands/define-service.ts";
import { definePastCommands, defineSessions, defineShow } from "./commands/define-sessions.ts";
import { defineSettings } from "./commands/define-settings.ts";
import { defineStore } from "./commands/define-store.ts";
import { examples, exitCodeHelp, passwordWarning } from "./help-text.ts";
import { plainOption, terminalCall, terminalOptions } from "./terminal-call.ts";
import type { TerminalCall } from "./terminal-call.ts";
import { watchOutputs } from "./terminal/output-gone.ts";

/** Runs one command line and returns the exit code. Prints errors, never throws. */
export async function runCli(words: readonly string[]): Promise<number> {
  hideEnvironment();
  watchOutputs();
  const warning = passwordWarning(words);
  if (warning !== null) console.error(warning);
  let code: number = exitCodes.ok;
  try {
    const call = terminalCall(words);
    if (call !== null && process.stdin.isTTY && process.stdout.isTTY) {
      return await startTerminal(call);
    }
    const program = createProgram(words, (exitCode) => {
      code = exitCode;
    });
    if (call !== null) {
      program.outputHelp({ error: true });
      return exitCodes.usage;
    }
    await program.parseAsync(withHelpOption(program, words), { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    }
    // Loaded only now, because it imports the errors of all modules.
    const { describeError } = await import("./describe-error.ts");
    const { line, exitCode } = describeError(error);
    console.error(line);
    if (process.env["HOLDFAST_DEBUG"] === "1") console.error(error);
    return exitCode;
  }
}

async function startTerminal({
  isContinued,
  isPlain,
  agent,
  model,
}: TerminalCall): Promise<number> {
  // Loaded only now: other commands do not need the terminal client.
  const { openTerminal } = await import("./commands/terminal-command.ts");
  return openTerminal({
    start: { kind: isContinued ? "latest" : "auto" },
    screenReader: isPlain,
    agent,
    model,
  });
}

export function createProgram(
  words: readonly string[],
  onDone: (exitCode: number) => void,
): Command {
  const program = new Command("holdfast");
  program
    .description(
      "Run coding agents in sessions that never lose a prompt. Without a command, open a new conversation in the current " +
        "directory.",
    )
    .option(plainOption, "Without a command: print plain lines for a screen reader")
    .version(programVersion(), "-v, --version", "Print the version")
    .commandsGroup("Help:")
    .helpCommand("help [command...]", "Print help for a command")
    .configureHelp({
      subcommandTerm,
      showGlobalOptions: true,
      visibleGlobalOptions,
      visibleOptions,
    })
    .helpOption("-h, --help", "Print help")
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      outputError: (text, write) => write(usageLine(text, adviceFor(program, words, text))),
    })
    .addHelpText("after", examples(programExamples) + exitCodeHelp);
  program.commandsGroup("Everyday work:");
  defineRun(program, onDone);
  defineSessions(program, onDone);
  defineSearch(program, onDone);
  defineShow(program, onDone);
  defineAttach(program, onDone);
  defineQueueCommands(program, onDone);
  definePastCommands(program, onDone);
  program.commandsGroup("Models and project settings:");
  defineSettings(program, onDone);
  defineRules(program, onDone);
  defineNotifications(program, onDone);
  program.commandsGroup("Other programs and this machine:");
  defineLink(program, onDone);
  defineAcp(program, onDone);
  defineDoctor(program, onDone);
  defineCompletion(program);
  program.commandsGroup("Operation of a server:");
  defineServe(program, onDone);
  defineServer(program, onDone);
  defineService(program, onDone);
  defineStore(program, onDone);
  return program;
}

/**
 * Turns `help server token create` into `server token create --help`, because commander's own help command ignores every
 * word after the first.
 */
function withHelpOption(program: Command, words: readonly string[]): readonly string[] {
  const place = words.indexOf("help");
  const group = place === -1 ? null : commandAt(program, words.slice(0, place));
  const named = words.slice(place + 1);
  // If a command has no subcommands, the word `help` is an argument, such as the prompt of `run`.
  if (group === null || group.commands.length === 0 || named.length === 0) return words;
  const unknown = named.findIndex(
    (_, index) => commandAt(group, named.slice(0, index + 1)) === null,
  );
  if (unknown !== -1) group.error(`unknown command '${named[unknown]}'`);
  return [...words.slice(0, place), ...named, "--help"];
}

/** Returns the command that the words name, below the given command. Null if there is none. */
function commandAt(start: Command, words: readonly string[]): Command | null {
  return words.reduce<Command | null>(
    (command, word) => command?.commands.find((one) => one.name() === word) ?? null,
    start,
  );
}

/** Returns the name and arguments of a command for the list of commands, without the word `[options]`. */
function subcommandTerm(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const word = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${word}>` : `[${word}]`;
  });
  return [command.name(), ...words].join(" ");
}

/** Returns the options of a command, and for the program itself also those of the terminal client. */
function visibleOptions(command: Command): Option[] {
  const own = new Help().visibleOptions(command);
  return command.parent === null ? [...terminalOptions, ...own] : own;
}

/** Returns the options of the parent commands, such as --session of `queue`, without the option --version. */
function visibleGlobalOptions({ parent }: Command): Option[] {
  if (parent === null || parent.parent === null) return [];
  return [...parent.options.filter(({ hidden }) => !hidden), ...visibleGlobalOptions(parent)];
}

/** Returns the command that was probably meant, or advice on how to get help. */
function adviceFor(program: Command, words: readonly string[], problem: string): string {
  const [, unknown] = /unknown command '([^']+)'/.exec(problem) ?? [];
  const groups = program.commands.filter(({ commands }) =>
    commands.some((part) => part.name() === unknown),
  );
  const [group] = groups;
  if (group !== undefined) return `run: holdfast ${group.name()} ${unknown}`;
  return helpFor(program, words);
}

/** Returns advice on how to get help for the command in the command line. */
function helpFor(program: Command, words: readonly string[]): string {
  let [command, named] = [program, "holdfast"];
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    [command, named] = [next, `${named} ${word}`];
  }
  return command === program ? "run: holdfast help" : `run: ${named} --help`;
}

/** Adds a stable code and advice to an error message of commander. */
function usageLine(text: string, advice: string): string {
  const message = text
    .replace(/^error: /, "")
    .trim()
    .replaceAll("\n", " ");
  return `holdfast: usage: ${message.replace(/\.$/, "")}; ${advice}\n`;
}

const programExamples = [
  "holdfast",
  'holdfast run "find out why the tests fail"',
  'holdfast run --continue "now fix it"',
  "holdfast undo",
  "holdfast sessions",
];
