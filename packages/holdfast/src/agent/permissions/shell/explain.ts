import { isAbsolute, posix } from "node:path";
import type { CommandLine, SimpleCommand } from "./command-line.ts";
import { parseCommandLine } from "./parse-command-line.ts";

/** A command line, with the folder in which its commands run. */
export interface ExplainedLine extends CommandLine {
  /** Relative to the session's directory; absolute outside of it; "." for the directory itself. */
  readonly place: string;
}

/** Where a command line runs. */
export interface Surroundings {
  /** The session's directory; null if it is not known. */
  readonly directory: string | null;
  /** The folder in which the shell starts, relative to the directory, or absolute. */
  readonly path: string;
}

/** Built-in commands that change the shell, so that the commands after them mean something else. */
const shellCommands = new Set(
  (
    ". alias bg bind builtin cd command compgen complete compopt declare dirs disown enable eval exec " +
    "exit export fc fg getopts hash history jobs let local logout mapfile popd pushd read readarray " +
    "readonly return set shift shopt source suspend times trap typeset ulimit umask unalias unset wait"
  ).split(" "),
);

/**
 * Explains a command line: which plain commands it runs, and where. `cd FOLDER && …` is the same as
 * starting the shell in that folder. Every other command that changes the shell is not explained.
 */
export function explain(text: string, surroundings: Surroundings): ExplainedLine {
  const line = parseCommandLine(text);
  const { path } = surroundings;
  const start = normalPlace(path, surroundings);
  if (line.unexplained !== null) return { ...line, place: start };
  const [first, ...rest] = line.commands;
  const folder = first === undefined ? null : folderOf(first);
  const isPlaced =
    folder !== null &&
    rest.length > 0 &&
    rest.every(({ operator }) => operator === "&&" || operator === "|") &&
    rest[0]?.operator === "&&";
  const commands = isPlaced ? rest : line.commands;
  const place = isPlaced
    ? normalPlace(posix.join(isAbsolute(folder) ? "" : start, folder), surroundings)
    : start;
  const changing = commands.find(({ words }) => shellCommands.has(words[0]?.value ?? ""));
  const name = changing?.words[0]?.value ?? "";
  const unexplained =
    changing === undefined ? null : `\`${name}\` changes the shell for what follows`;
  return { ...line, commands, place, unexplained };
}

/** The folder that `cd` names; null if the shell decides where it leads. */
function folderOf({ words }: SimpleCommand): string | null {
  const [program, folder] = words;
  if (program?.value !== "cd" || words.length !== 2 || folder?.kind !== "literal") return null;
  return folder.value === "" || folder.value.startsWith("-") ? null : folder.value;
}

/** A folder as rules name it. */
export function normalPlace(
  folder: string,
  { directory }: Pick<Surroundings, "directory">,
): string {
  const path = posix.normalize(folder).replace(/(?<=.)\/$/, "");
  if (!isAbsolute(path)) return path;
  const isInside = directory !== null && (path === directory || path.startsWith(`${directory}/`));
  return isInside ? posix.relative(directory, path) || "." : path;
}
