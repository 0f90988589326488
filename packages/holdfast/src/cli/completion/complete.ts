import type { Command, Option } from "commander";
import { optionsOf, parseLine } from "./parse-line.ts";
import type { Place } from "./parse-line.ts";
import { knownValues } from "./known-values.ts";
import type { ValueKind } from "./known-values.ts";

/** A suggestion for the next word of a command line. Some shells also show the description. */
export interface Candidate {
  readonly word: string;
  readonly description: string;
}

/**
 * `holdfast complete`: prints the possible next words of an incomplete command line, for the completion scripts. Asks
 * the running server for names and ids, but never starts a server. If something fails, prints fewer words and no error.
 */
export async function complete(
  program: Command,
  { words, patience }: { words: readonly string[]; patience: number },
): Promise<void> {
  const place = parseLine(program, words);
  const paths = pathsAt(place);
  if (paths !== null) {
    console.log(`:${paths}`);
    return;
  }
  for (const { word, description } of await candidates(place, patience)) {
    if (word.startsWith(place.current)) console.log(`${place.prefix}${word}\t${description}`);
  }
}

async function candidates(place: Place, patience: number): Promise<readonly Candidate[]> {
  const { command, current, option, argument, mayDescend } = place;
  if (option !== null) {
    if (option.argChoices !== undefined) return plain(option.argChoices);
    return values(valueKinds.get(option.long ?? ""));
  }
  if (current.startsWith("-")) return optionsOf(command).flatMap(flagsOf).concat(help);
  const commands = mayDescend ? command.commands.filter(isVisible) : [];
  const own = argument?.argChoices;
  return [
    ...commands.map((part) => ({ word: part.name(), description: part.summary() })),
    ...(own === undefined ? [] : plain(own)),
    ...(await values(argumentKind(command, argument?.name()))),
  ];

  async function values(kind: ValueKind | undefined): Promise<readonly Candidate[]> {
    return kind === undefined ? [] : knownValues(kind, place.values, patience);
  }
}

function isVisible(command: Command): boolean {
  return command.name() !== "complete";
}

function flagsOf({ short, long, description }: Option): Candidate[] {
  // Only long options are offered. `short` is a long option too if an option has two long forms, such as --dir.
  const flags = [short, long].filter((flag) => flag?.startsWith("--") === true);
  return flags.map((flag) => ({ word: String(flag), description }));
}

const help: Candidate = { word: "--help", description: "Print help" };

function plain(words: readonly string[]): Candidate[] {
  return words.map((word) => ({ word, description: "" }));
}

/** Options whose values the server knows. */
const valueKinds: ReadonlyMap<string, ValueKind> = new Map([
  ["--session", "session"],
  ["--prompt", "prompt"],
  ["--before", "prompt"],
  ["--model", "model"],
  ["--agent", "agent"],
  ["--provider", "provider"],
]);

function argumentKind(command: Command, name: string | undefined): ValueKind | undefined {
  // The prompt of `run` is free text, but it may start with a slash command.
  if (name === "prompt" && command.name() === "run") return "command";
  return argumentKinds.get(name ?? "");
}

const argumentKinds: ReadonlyMap<string, ValueKind> = new Map([
  ["session", "session"],
  ["prompt", "prompt"],
  ["hold", "hold"],
  ["action", "action"],
  ["token", "token"],
  ["provider", "provider"],
  ["server", "mcp"],
]);

function pathsAt({ option, argument, current }: Place): "files" | "directories" | null {
  const name = option === null ? argument?.name() : option.long;
  if (option === null && current.startsWith("-")) return null;
  if (["--directory", "--data", "directory", "directories"].includes(name ?? "")) {
    return "directories";
  }
  return ["--file", "--schema", "--store", "--output", "file"].includes(name ?? "")
    ? "files"
    : null;
}
