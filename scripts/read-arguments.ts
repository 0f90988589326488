import { parseArgs } from "node:util";
import type { ParseArgsOptionsConfig } from "node:util";

/** Prints the usage and ends the process if the command line contains --help. */
export function showHelp(usage: string): void {
  if (!process.argv.slice(2).some((word) => word === "--help" || word === "-h")) return;
  console.log(usage);
  process.exit(0);
}

/**
 * Parses the command line of a script. With --help, prints the usage and ends the process with code 0. With an unknown
 * option, word or value, prints the problem and the usage, and ends it with code 2.
 */
export function readArguments<const Options extends ParseArgsOptionsConfig>(script: {
  /** First line: the command with its options. Then a description for people. The value of `--name N` is a number. */
  readonly usage: string;
  readonly options: Options;
  /** Words without a dash that are allowed; true: all words. */
  readonly words?: boolean | readonly string[];
  /** Options whose value is a list of these names, separated by commas. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
}) {
  const { usage, options, words = false, lists = {} } = script;
  showHelp(usage);
  try {
    const parsed = parseArgs({ options, allowPositionals: true });
    const values: Readonly<Record<string, unknown>> = parsed.values;
    for (const [, name = ""] of usage.matchAll(/--([\w-]+) N\b/gu)) {
      const value = values[name];
      if (typeof value === "string" && !/^\d+(?:\.\d+)?$/u.test(value)) {
        throw new Error(`--${name} needs a number, not '${value}'`);
      }
    }
    for (const [name, known] of Object.entries(lists)) {
      const given = values[name];
      const parts = typeof given === "string" ? given.split(",") : [];
      const wrong = parts.find((part) => !known.includes(part));
      if (wrong !== undefined) {
        throw new Error(`--${name}: '${wrong}' is not one of ${known.join(", ")}`);
      }
    }
    const allowed = words === true ? parsed.positionals : words === false ? [] : words;
    const word = parsed.positionals.find((each) => !allowed.includes(each));
    if (word === undefined) return parsed;
    throw new Error(`Unexpected argument '${word}'`);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}
