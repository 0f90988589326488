import type { SimpleCommand, Word } from "./shell/command-line.ts";
import { parseCommandLine } from "./shell/parse-command-line.ts";

export type Words = readonly Word[];

export interface CarriedCommands {
  readonly commands: readonly Words[];
  /** False if the command line may contain more commands than were found. */
  readonly complete: boolean;
}

/** Maximum nesting of command lines within command lines. */
const maxDepth = 4;
/** Maximum number of words after a wrapper such as `timeout` that may be options of the wrapper. */
const maxOptions = 20;
/** Maximum number of words to examine in all command lines together, so that the check stays fast. */
const maxWords = 20_000;

/** Programs that run another command, which follows their own options. */
const wrappers = new Set(
  (
    "builtin busybox chroot chrt command doas env exec flock ionice ltrace nice nohup nsenter parallel perf " +
    "runuser setarch setpriv setsid ssh stdbuf strace su sudo systemd-run taskset time timeout toybox " +
    "unbuffer unshare watch xargs"
  ).split(" "),
);
/** Programs that run one of their arguments as a command line. */
const shells = new Set(
  "ash bash compgen complete dash env eval fish ksh mapfile parallel readarray sh ssh su trap watch xargs zsh".split(
    " ",
  ),
);
/** Shells that run commands from their stdin if there is no `-c` and no file. */
const readingInput = new Set("ash bash dash fish ksh sh zsh".split(" "));
/** Builtins that change the meaning of a command name. */
const renaming = new Set("alias bind enable fc hash".split(" "));
/** Options that are followed by a command. */
const execOptions = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/**
 * Returns the given commands and the commands that they run: after `timeout` and similar programs, in `bash -c`, after
 * `find -exec`. Used for ask and deny rules. Allow rules consider only the given commands.
 */
export function carriedCommands(commands: readonly SimpleCommand[]): CarriedCommands {
  const found: Words[] = [];
  let left = maxWords;
  let complete = true;
  const add = (words: Words, depth: number): void => {
    left -= words.length + 1;
    if (depth > maxDepth || left < 0) complete = false;
    if (!complete) return;
    found.push(words, ...withoutOptions(words));
    const name = programOf(words);
    if (renaming.has(name) || runsInput(words, name)) complete = false;
    for (const carried of wrappedIn(words, name)) add(carried, depth);
    for (const carried of carriedIn(words)) add(carried, depth + 1);
    if (shells.has(name)) for (const line of linesIn(words)) addLine(line, depth + 1);
  };
  const addLine = (line: string, depth: number): void => {
    const inner = parseCommandLine(line);
    if (inner.opaque) complete = false;
    for (const { words } of inner.commands) add(words, depth);
  };
  for (const { words } of commands) add(words, 0);
  return { commands: found, complete };
}

/** Returns the name of the program without its directory. */
export function programOf(words: Words): string {
  return words[0]?.value.replace(/^.*\//s, "") ?? "";
}

/**
 * Returns the commands that a wrapper such as `timeout` may run. It is unknown where the wrapper's options end, so
 * each following word may start the command.
 */
function wrappedIn(words: Words, name: string): readonly Words[] {
  // The parser removes the keyword `time`, so `time -p rm` arrives here as `-p rm`.
  if (!wrappers.has(name) && !name.startsWith("-")) return [];
  const ends = words.slice(1, 1 + maxOptions).map((_, at) => words.slice(at + 1));
  // Drop results that begin with another wrapper, because the commands after it are already in the list.
  return ends.filter((end) => !wrappers.has(programOf(end)));
}

/** True if a shell runs commands from its stdin, as in `… | sh`. */
function runsInput(words: Words, name: string): boolean {
  if (!readingInput.has(name)) return false;
  const rest = words.slice(1).map(({ value }) => value);
  const operands = rest.filter((word) => !/^[-+]/.test(word));
  return operands.length === 0 || rest.some((word) => /^-[a-z]*s/.test(word) || word === "-");
}

function carriedIn(words: Words): readonly Words[] {
  // Return all words after the first `-exec`, which include the commands of later ones.
  const at = words.findIndex(({ value }) => execOptions.has(value));
  return at === -1 || at + 1 === words.length ? [] : [words.slice(at + 1)];
}

/** Returns the arguments of a shell that may be command lines: each alone, and all joined as `eval` does. */
function linesIn(words: Words): readonly string[] {
  const values = words.slice(1).map(({ value, kind }) => (kind === "literal" ? value : "$x"));
  const single = values
    .slice(0, maxOptions)
    .flatMap((value) => [value, value.replace(/^-+[\w-]*=?/, "")]);
  const lines = [...single, values.join(" ")];
  return lines.filter((line) => line !== "" && !line.startsWith("-"));
}

/** Returns `git push` for `git -C x push`. Covers both cases: the option takes the next word as its value, or not. */
function withoutOptions(words: Words): readonly Words[] {
  const [program, ...rest] = words;
  if (program === undefined || rest[0]?.value.startsWith("-") !== true) return [];
  const plain = rest.findIndex(({ value }) => !value.startsWith("-"));
  if (plain === -1) return [];
  return [
    [program, ...rest.slice(plain)],
    [program, ...rest.slice(plain + 1)],
  ];
}
