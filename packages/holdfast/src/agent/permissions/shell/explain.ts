import { isAbsolute, posix } from "node:path";
import type { CommandLine, SimpleCommand } from "./command-line.ts";
import { parseCommandLine } from "./parse-command-line.ts";

/** A command line and the folder in which its commands run. */
export interface ExplainedLine extends CommandLine {
  /**
   * Folder in which the commands run: relative to the session's directory, or absolute if outside. "." is the directory
   * itself.
   */
  readonly place: string;
  /** The folder in `cd FOLDER && …` at the start, as written. Null: the line does not start with `cd`. */
  readonly entered: string | null;
}

/** The session's directory, and the folder in which a command line runs. */
export interface Surroundings {
  /** The session's directory. Null if unknown. */
  readonly directory: string | null;
  /** The folder in which the shell starts, relative to the session's directory or absolute. */
  readonly path: string;
}

/** Builtins that change the state of the shell, so that later commands have another meaning. */
const shellCommands = new Set(
  (
    ". alias bg bind builtin cd command compgen complete compopt declare dirs disown enable eval exec " +
    "exit export fc fg getopts hash history jobs let local logout mapfile popd pushd read readarray " +
    "readonly return set shift shopt source suspend times trap typeset ulimit umask unalias unset wait"
  ).split(" "),
);

/**
 * Finds the plain commands of a command line and their folder. `cd FOLDER && …` counts as starting the shell in that
 * folder. If any other command changes the state of the shell, the effect of the line is unknown, and the field
 * `unexplained` contains the reason.
 */
export function explain(text: string, surroundings: Surroundings): ExplainedLine {
  const line = parseCommandLine(text);
  const { path } = surroundings;
  const start = normalPlace(path, surroundings);
  if (line.unexplained !== null) return { ...line, place: start, entered: null };
  const [first, ...rest] = line.commands;
  const folder = first === undefined ? null : folderOf(first);
  const hasFolder =
    folder !== null &&
    rest.length > 0 &&
    rest.every(({ operator }) => operator === "&&" || operator === "|") &&
    rest[0]?.operator === "&&";
  const commands = hasFolder ? rest : line.commands;
  const place = hasFolder
    ? normalPlace(posix.join(isAbsolute(folder) ? "" : start, folder), surroundings)
    : start;
  const changing = commands.find(({ words }) => shellCommands.has(words[0]?.value ?? ""));
  const name = changing?.words[0]?.value ?? "";
  const unexplained =
    changing === undefined ? null : `\`${name}\` changes the shell for later commands`;
  return { ...line, commands, place, entered: hasFolder ? folder : null, unexplained };
}

/** Returns the folder in a `cd` command; null if only the shell knows it. */
function folderOf({ words }: SimpleCommand): string | null {
  const [program, folder] = words;
  if (program?.value !== "cd" || words.length !== 2 || folder?.kind !== "literal") return null;
  return folder.value === "" || folder.value.startsWith("-") ? null : folder.value;
}

/** Normalizes a folder to the form that rules contain. */
export function normalPlace(
  folder: string,
  { directory }: Pick<Surroundings, "directory">,
): string {
  const path = posix.normalize(folder).replace(/(?<=.)\/$/, "");
  if (!isAbsolute(path)) return path;
  const isInside = directory !== null && (path === directory || path.startsWith(`${directory}/`));
  return isInside ? posix.relative(directory, path) || "." : path;
}
