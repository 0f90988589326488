import type { Argument, Command, Option } from "commander";
import { terminalOptions } from "../terminal-call.ts";

/** Position of the cursor in a command line. */
export interface Place {
  readonly command: Command;
  /** The word at the cursor, without the option name before `=`. */
  readonly current: string;
  /** Option name with `=` in the word at the cursor, such as `--model=`. Empty if the shell has split the word there. */
  readonly prefix: string;
  /** The option whose value is being typed; null if no value is being typed. */
  readonly option: Option | null;
  /** The argument that is being typed; null if the command takes no more. */
  readonly argument: Argument | null;
  /** True if a subcommand may follow. */
  readonly mayDescend: boolean;
  /** Values of the options before the cursor, by long name without dashes. An argument `session` counts as the option. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Finds out whether the last word of a command line is a subcommand, an option, the value of an option, or an argument.
 */
export function parseLine(program: Command, words: readonly string[]): Place {
  let command = program;
  let count = 0;
  let pending: Option | null = null;
  const values = new Map<string, string>();
  const whole = joined(words);
  for (const word of whole.slice(0, -1)) {
    if (pending !== null) {
      values.set(nameOf(pending), word);
      pending = null;
    } else if (word.startsWith("-") && word !== "-") pending = valueAfter(command, word, values);
    else {
      const next = count === 0 ? command.commands.find((part) => part.name() === word) : undefined;
      if (next === undefined) {
        const { [count]: named } = command.registeredArguments;
        if (named?.name() === "session") values.set("session", word);
        count += 1;
      } else command = next;
    }
  }
  const last = whole.at(-1) ?? "";
  const typed = pending === null ? assigned(command, last) : null;
  const own = command.registeredArguments;
  const final = own.at(-1);
  const argument = own[count] ?? (final?.variadic === true ? final : null);
  const mayDescend = count === 0 && command.commands.length > 0;
  const isSplit = whole.length < words.length;
  return {
    command,
    current: typed?.value ?? last,
    prefix: typed === null || isSplit ? "" : `${typed.flag}=`,
    option: typed?.option ?? pending,
    argument,
    mayDescend,
    values,
  };
}

/** Joins `--model`, `=` and `local/x` to one word, because bash passes them as three. */
function joined(words: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const isAssigned = word === "=" && found.at(-1)?.startsWith("--") === true;
    if (!isAssigned) found.push(word);
    else {
      index += 1;
      found.push(`${found.pop() ?? ""}=${words[index] ?? ""}`);
    }
  }
  return found;
}

/** Reads a word such as `--model=local/x`. Null if the word is not an option with a value. */
function assigned(
  command: Command,
  word: string,
): { option: Option; flag: string; value: string } | null {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  if (at === -1) return null;
  const [flag, value] = [word.slice(0, at), word.slice(at + 1)];
  const option = optionNamed(command, flag);
  return option === undefined || !option.required ? null : { option, flag, value };
}

function optionNamed(command: Command, flag: string): Option | undefined {
  return optionsOf(command).find(({ short, long }) => [short, long].includes(flag));
}

/** Returns the options that a command accepts, including those of its parent commands. */
export function optionsOf(command: Command): readonly Option[] {
  return [...(command.parent === null ? terminalOptions : []), ...definedOptions(command)];
}

function definedOptions(command: Command): readonly Option[] {
  const above = command.parent === null ? [] : definedOptions(command.parent);
  return [...command.options.filter(({ hidden }) => !hidden), ...above];
}

/** Returns the option if the next word is its value. If the value follows after `=`, adds it to `values`. */
function valueAfter(command: Command, word: string, values: Map<string, string>): Option | null {
  const at = word.indexOf("=");
  const flag = at === -1 ? word : word.slice(0, at);
  const found = optionNamed(command, flag);
  if (found === undefined || !found.required) return null;
  if (at === -1) return found;
  values.set(nameOf(found), word.slice(at + 1));
  return null;
}

function nameOf({ long }: Option): string {
  return (long ?? "").replace(/^--/, "");
}
