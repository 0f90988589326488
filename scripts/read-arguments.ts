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
 * option, prints the problem and the usage, and ends it with code 2.
 */
export function readArguments<const Options extends ParseArgsOptionsConfig>(script: {
  /** First line: the command with its options. Then a description for people. */
  readonly usage: string;
  readonly options: Options;
  /** True: words without a dash are allowed. */
  readonly words?: boolean;
}) {
  const { usage, options, words = false } = script;
  showHelp(usage);
  try {
    const parsed = parseArgs({ options, allowPositionals: true });
    const [word] = parsed.positionals;
    if (words || word === undefined) return parsed;
    throw new Error(`Unexpected argument '${word}'`);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}
