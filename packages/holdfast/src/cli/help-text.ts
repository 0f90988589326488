import { homedir } from "node:os";
import { resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { defaultStore, storeName } from "../compose/stores.ts";
import { checkId } from "../kernel/validate.ts";

/** Texts of a help page. The summary is the line in the list of commands. */
interface HelpPage {
  readonly summary: string;
  /** Default: the summary as a sentence. */
  readonly description?: string;
  readonly examples: readonly string[];
  /** Text below the examples. */
  readonly note?: string;
}

export function addHelp(command: Command, page: HelpPage): Command {
  const { summary, description = `${summary}.`, note = "" } = page;
  return command
    .summary(summary)
    .description(description)
    .addHelpText("after", examples(page.examples) + note);
}

export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`;
}

export const exitCodeHelp =
  "\nExit codes: 0 completed, 1 failed or refused, 2 wrong usage, 3 server not reachable, " +
  "130 cancelled with Ctrl-C\n";

export function storeOption(): Option {
  return storeOptionWithoutDefault("Database: a file, or postgres://user@host/database").default(
    usualStore(),
  );
}

/** The option `--store`. HOLDFAST_STORE can set it too, because a password does not belong in a command line. */
export function storeOptionWithoutDefault(meaning: string): Option {
  return new Option("--store <file>", meaning).env("HOLDFAST_STORE").argParser(storeAddress);
}

/** Returns the address of a database, or the absolute path of its file. */
export function storeAddress(store: string): string {
  return store.includes("://") ? store : resolve(store);
}

/** Returns a warning if the command line contains a database password, otherwise null. */
export function passwordWarning(words: readonly string[]): string | null {
  const addresses = words.map((word) => word.replace(/^--store=/, ""));
  const databases = addresses.filter((address) => address.startsWith("postgres"));
  if (databases.every((address) => storeName(address) === address)) return null;
  return (
    "holdfast: warning: other users of this machine can read the database password in the command " +
    "line. Set HOLDFAST_STORE to the address, or put the password into a file named by PGPASSFILE"
  );
}

/**
 * Returns the path of the default store. It is computed once, because nearly every command has the option `--store`.
 */
function usualStore(): string {
  usual ??= defaultStore(process.env, homedir());
  return usual;
}

let usual: string | null = null;

export function directoryOption(meaning: string): Option {
  return new Option("--dir, --directory <folder>", meaning).argParser((folder: string) =>
    resolve(folder),
  );
}

/** Parses an id that the user has chosen. */
export function readId(text: string): string {
  const refused = checkId("It", text);
  if (refused === null) return text;
  throw new InvalidArgumentError(refused.refusal.message);
}

/** Parses an amount of US dollars. */
export function readDollars(text: string): number {
  if (/^\d{1,7}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Write an amount in dollars like 2 or 0.50.");
}

/** Parses a duration. Returns milliseconds. */
export function readTime(text: string): number {
  const match = /^(\d{1,9})(ms|s|m)$/.exec(text);
  const unit = { ms: 1, s: 1_000, m: 60_000 }[match?.[2] ?? ""] ?? 0;
  const time = Number(match?.[1] ?? 0) * unit;
  if (time > 0 && time < 2 ** 31) return time;
  throw new InvalidArgumentError("Write a time like 500ms, 30s or 5m.");
}
