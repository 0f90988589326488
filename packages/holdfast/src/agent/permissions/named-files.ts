import { findReading, isRiskyOption } from "./known-command.ts";
import type { KnownCommand } from "./known-command.ts";
import type { Word } from "./shell/command-line.ts";

/**
 * Returns every word, and every part of a word, that could name a file that a command reads. Null if the command may
 * change something, or may read files that are not on the command line.
 */
export function namedFiles(words: readonly Word[]): readonly string[] | null {
  const found = findReading(words);
  if (found === null || found.command.wide === true) return null;
  const { command, length } = found;
  const rest = words.slice(length);
  const skipsFirst = command.text === "first" && !rest.some(({ value }) => mayContainText(value));
  const files: string[] = [];
  let operands = 0;
  let isEnded = false;
  for (const word of rest) {
    const isDashed = word.kind === "literal" && /^-./.test(word.value);
    if (!isDashed || isEnded) operands += 1;
    const isText = command.text === "all" || (skipsFirst && operands === 1);
    const named = isText && !isDashed ? [] : filesIn(word, command);
    if (named === null) return null;
    files.push(...named);
    isEnded ||= isDashed && word.value === "--";
  }
  return files;
}

/** Returns the number of existing files from which on a command compares the folders among them. Null: it does not. */
export function comparedFolders(words: readonly Word[]): number | null {
  return findReading(words)?.command.comparesFolders ?? null;
}

/** True for options such as `-e TEXT` and `--file=FILE` of grep. With such an option, the first operand is a file. */
function mayContainText(word: string): boolean {
  return /^-[A-Za-z0-9]*[ef]|^--[efr]/.test(word);
}

function filesIn({ kind, value }: Word, command: KnownCommand): readonly string[] | null {
  if (kind === "open") return null;
  // A wildcard may match files that need permission to read, but listing their names needs no permission.
  if (kind === "glob") return command.names === true ? [value === "" ? "." : value] : null;
  // Some programs read further arguments from the file in `@FILE`.
  if (value.startsWith("@")) return null;
  const { wide } = command;
  if (!/^-./.test(value)) return [value, ...value.split(":").slice(1)];
  const isWide =
    typeof wide === "string" && value !== "--" && isRiskyOption({ risky: wide }, value);
  if (isWide) return null;
  // The word is a file if it follows `--`, and in some programs if it follows another operand.
  if (value.startsWith("--"))
    return value.includes("=") ? [value, value.slice(value.indexOf("=") + 1)] : [value];
  if (command.names === true) return [value, value.slice(2)];
  // The value of an option may directly follow its letter: `-fFILE`.
  if (!shortOption.test(value)) return null;
  return [value, ...Array.from(value.slice(2), (_, at) => value.slice(at + 2))];
}

/** Option letters with simple values, such as `-n20` and `-d:`. */
const shortOption = /^-[A-Za-z0-9,: |;+]{1,8}$/;
