import { actingCommands } from "./acting-commands.ts";
import { readOnlyCommands } from "./read-only-commands.ts";
import type { Word } from "./shell/command-line.ts";

/** Known properties of a program or a subcommand. Values of a list are separated by spaces. */
export interface KnownCommand {
  /** True: the command changes nothing, unless one of its words is risky. */
  readonly reads?: true;
  /** Risky options, which run a program, write a file or work in another directory: single letters and long names. */
  readonly risky?: string;
  /** If set, all options except these are risky. */
  readonly only?: string;
  /** Words that are risky at any position. */
  readonly words?: string;
  /** True: the program does not treat `--` as the end of its options. */
  readonly ignoresDashes?: true;
  /** True: words after `--` are passed to a script of the project, and no option takes `--` as its value. */
  readonly passesOn?: true;
  /** True: long options begin with one or two dashes and cannot be abbreviated. */
  readonly singleDash?: true;
  /** Number of operands that are not risky. Further operands name an output or something to change. */
  readonly maxOperands?: number;
  /** Pattern of harmless operands. `firstOperand` applies only to the first operand. */
  readonly operand?: RegExp;
  readonly firstOperand?: RegExp;
  /** True: the first argument selects the action, so a rule must contain it. */
  readonly named?: true;
  readonly subcommands?: CommandTable;
  /** Harmless options before a subcommand. All others are risky. */
  readonly before?: string;
  /**
   * True: the command may read files that its arguments do not name. A string: it does so only with these options, such
   * as `-r --recursive`.
   */
  readonly wide?: true | string;
  /**
   * Set for a command that compares folders file by file: if its arguments name at least this number of existing files,
   * a folder among them may be read.
   */
  readonly comparesFolders?: number;
  /** True: the command prints names and properties of files, not their content. */
  readonly names?: true;
  /**
   * Arguments that are text, not file names: all of them, or only the first. `first` does not apply if an option
   * contains the text, such as `-e TEXT`.
   */
  readonly text?: "first" | "all";
  /**
   * Subcommands that run another program, whose name is in their arguments or in a config file. `all`: each one that is
   * not in `subcommands` may do so.
   */
  readonly runs?: string;
}

export type CommandTable = Readonly<Record<string, KnownCommand>>;

interface Found {
  readonly command: KnownCommand;
  /** Number of words in the command's name: the program and its subcommand. */
  readonly length: number;
  /** Positions of risky words before the subcommand. */
  readonly risky: readonly number[];
}

/** True if the command is known to change nothing, whatever files it reads. */
export function onlyReads(words: readonly Word[]): boolean {
  return findReading(words) !== null;
}

/** Finds a read-only command and the number of words in its name. Returns null if the command may change something. */
export function findReading(words: readonly Word[]): Pick<Found, "command" | "length"> | null {
  const found = findCommand(readOnlyCommands, words);
  if (found?.command.reads !== true || riskyPlaces(found, words).length > 0) return null;
  return found;
}

/**
 * Returns the positions of risky words, which make a known program run another program, write a file or work in another
 * directory. A wildcard of a rule does not match such a word. An unknown program has no risky words.
 */
export function riskyWords(words: readonly Word[]): ReadonlySet<number> {
  const found = findCommand(actingCommands, words) ?? findCommand(readOnlyCommands, words);
  return new Set(found === null ? unknownPlaces(words) : riskyPlaces(found, words));
}

/** Returns the words that a rule for similar commands must contain. Null if the program is unknown. */
export function namedWords(words: readonly Word[]): readonly string[] | null {
  const found = findCommand(actingCommands, words) ?? findCommand(readOnlyCommands, words);
  if (found === null || riskyPlaces(found, words).length > 0) return null;
  const length = found.length + (found.command.named === true ? 1 : 0);
  const named = words.slice(0, length);
  return named.length === length && named.every(isPlain) ? named.map(({ value }) => value) : null;
}

function isPlain({ kind, value }: Word): boolean {
  return kind === "literal" && plainName.test(value);
}

const plainName = /^(?:\[|[\w.:][\w.:+-]*)$/;

function findCommand(table: CommandTable, words: readonly Word[]): Found | null {
  const [program] = words;
  const command = program?.kind === "literal" ? ownEntry(table, program.value) : undefined;
  if (command === undefined) return null;
  if (command.subcommands === undefined) return { command, length: 1, risky: [] };
  const { place, risky } = findSubcommand(command, words);
  const name = words[place];
  const known = name?.kind === "literal" ? ownEntry(command.subcommands, name.value) : undefined;
  return known === undefined ? null : { command: known, length: place + 1, risky };
}

function isName({ kind, value }: Word): boolean {
  return kind !== "literal" || !value.startsWith("-");
}

/**
 * Returns the position of the first word that is not an option, and the positions of risky options before that word.
 */
function findSubcommand(
  { before = "" }: KnownCommand,
  words: readonly Word[],
): { place: number; risky: readonly number[] } {
  const found = words.findIndex((word, at) => at > 0 && isName(word));
  const place = found === -1 ? words.length : found;
  const known = before.split(" ");
  const risky = words.flatMap(({ value }, at) =>
    at > 0 && at < place && !known.includes(value) ? [at] : [],
  );
  return { place, risky };
}

/** Returns the positions of risky words in a command whose subcommand is unknown. */
function unknownPlaces(words: readonly Word[]): readonly number[] {
  const known = ownEntry(actingCommands, words[0]?.value ?? "");
  if (known?.subcommands === undefined) return [];
  const { place, risky } = findSubcommand(known, words);
  const name = words[place];
  const isRunner =
    known.runs === "all" || name?.kind !== "literal" || isWord(known.runs, name.value);
  return name !== undefined && isRunner ? [...risky, place] : risky;
}

function ownEntry(table: CommandTable, name: string): KnownCommand | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function riskyPlaces({ command, length, risky }: Found, words: readonly Word[]): readonly number[] {
  const places = [...risky];
  let operands = 0;
  let hasOptions = false;
  let isEnded = false;
  for (let place = length; place < words.length; place += 1) {
    const word = words[place] ?? { value: "", kind: "open" };
    const kind = kindOf(word, isEnded);
    if (kind === "operand") operands += 1;
    // A `--` after an option may be the option's value, so it does not certainly end the options.
    if (kind === "end" && command.ignoresDashes !== true) {
      isEnded = !hasOptions || command.passesOn === true;
    }
    if (kind === "option") hasOptions = true;
    if (isRisky(command, { word, kind, operands, isEnded })) places.push(place);
  }
  return places;
}

type WordKind = "option" | "operand" | "end" | "unknown";

function kindOf({ value, kind }: Word, isEnded: boolean): WordKind {
  if (kind !== "literal") return "unknown";
  if (isEnded || value === "-" || !value.startsWith("-")) return "operand";
  return value === "--" ? "end" : "option";
}

function isRisky(
  command: KnownCommand,
  given: { word: Word; kind: WordKind; operands: number; isEnded: boolean },
): boolean {
  const { word, kind } = given;
  switch (kind) {
    case "unknown":
      return word.kind === "open" || !isHarmlessGlob(command, word);
    case "option":
      return isWord(command.words, word.value) || isRiskyOption(command, word.value);
    case "operand":
      return (
        isWord(command.words, word.value) ||
        isRiskyOperand(command, { ...given, value: word.value })
      );
    case "end":
      return false;
  }
}

/** False if file names that match the glob could be risky words, because a file name may look like an option. */
function isHarmlessGlob(command: KnownCommand, { value }: Word): boolean {
  const { risky, only, words, maxOperands, operand, firstOperand } = command;
  if (maxOperands !== undefined || operand !== undefined || firstOperand !== undefined)
    return false;
  const isOperand = value !== "" && !value.startsWith("-");
  return isOperand || (risky === undefined && only === undefined && words === undefined);
}

function isRiskyOperand(
  command: KnownCommand,
  { value, operands, isEnded }: { value: string; operands: number; isEnded: boolean },
): boolean {
  const { maxOperands = Infinity, operand, firstOperand, passesOn } = command;
  if (isEnded && passesOn === true) return false;
  if (operands > maxOperands) return true;
  if (operand !== undefined && !operand.test(value)) return true;
  return operands === 1 && firstOperand !== undefined && !firstOperand.test(value);
}

/**
 * True if a word contains a risky option. Recognizes abbreviated long options and combined letters, which GNU programs
 * and git accept.
 */
export function isRiskyOption(command: KnownCommand, word: string): boolean {
  const { risky = "", only, singleDash } = command;
  const [name = ""] = word.split("=", 1);
  if (only !== undefined) return !isListed(only.split(" "), word, name);
  const options = risky.split(" ").filter((option) => option !== "");
  if (singleDash === true) return options.includes(name.replace(/^--/, "-"));
  if (word.startsWith("--")) return options.some((option) => option.startsWith(name));
  const letters = new Set(
    options.filter((option) => /^-[^-]$/.test(option)).map((option) => option[1]),
  );
  return options.includes(word) || Array.from(word.slice(1)).some((letter) => letters.has(letter));
}

/** True if the option is in the list, with or without a number: `-j4`, `--jobs=4`. */
function isListed(known: readonly string[], word: string, name: string): boolean {
  if (known.includes(word)) return true;
  return known.includes(name)
    ? /^[\w.-]+=\d*$/.test(word)
    : known.includes(word.replace(/\d+$/, ""));
}

function isWord(words: string | undefined, value: string): boolean {
  return words !== undefined && words.split(" ").includes(value);
}
