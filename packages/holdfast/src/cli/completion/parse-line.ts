import type { Argument, Command, Option } from "commander";

/** Position of the cursor in a command line. */
export interface Place {
  readonly command: Command;
  /** The word at the cursor, without the option name before `=`. */
  readonly current: string;
  /** The option whose value is being typed; null if no value is being typed. */
  readonly option: Option | null;
  /** The argument that is being typed; null if the command takes no more. */
  readonly argument: Argument | null;
  /** True if a subcommand may follow. */
  readonly mayDescend: boolean;
  /** Values of the options before the cursor, by long name without dashes. */
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
  for (const word of words.slice(0, -1)) {
    if (pending !== null) {
      values.set(nameOf(pending), word);
      pending = null;
    } else if (word.startsWith("-") && word !== "-") pending = valueAfter(command, word, values);
    else {
      const next = count === 0 ? command.commands.find((part) => part.name() === word) : undefined;
      if (next === undefined) count += 1;
      else command = next;
    }
  }
  const current = words.at(-1) ?? "";
  const own = command.registeredArguments;
  const last = own.at(-1);
  const argument = own[count] ?? (last?.variadic === true ? last : null);
  const mayDescend = count === 0 && command.commands.length > 0;
  return { command, current, option: pending, argument, mayDescend, values };
}

/** Returns the options that a command accepts, including those of its parent commands. */
export function optionsOf(command: Command): readonly Option[] {
  const above = command.parent === null ? [] : optionsOf(command.parent);
  return [...command.options.filter(({ hidden }) => !hidden), ...above];
}

/** Returns the option if the next word is its value. If the value follows after `=`, adds it to `values`. */
function valueAfter(command: Command, word: string, values: Map<string, string>): Option | null {
  const at = word.indexOf("=");
  const flag = at === -1 ? word : word.slice(0, at);
  const found = optionsOf(command).find(({ short, long }) => [short, long].includes(flag));
  if (found === undefined || !found.required) return null;
  if (at === -1) return found;
  values.set(nameOf(found), word.slice(at + 1));
  return null;
}

function nameOf({ long }: Option): string {
  return (long ?? "").replace(/^--/, "");
}
