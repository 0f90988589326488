import { bareCommand, splitCommand } from "./split-command.ts";

/** A line within a line within a line; nobody who means well goes deeper. */
const maxDepth = 4;
const maxSubstitutions = 100;
/** A wrapper's own words are not more than this. */
const maxWords = 20;
/** More than this is not looked through: it would take too long. */
const maxLine = 20_000;
const maxFound = 40_000;

export interface HiddenCommands {
  readonly commands: readonly string[];
  /** False when there was too much to look through. */
  readonly complete: boolean;
}

/**
 * The commands that a command line runs by way of others, as far as they can be seen: in substitutions
 * and groups, behind `timeout` and its like, in `bash -c`, after `find -exec`. For rules that restrict;
 * what is allowed is judged by its own words.
 */
export function hiddenCommands(line: string): HiddenCommands {
  const found = new Set<string>();
  let left = line.length > maxLine ? -1 : maxFound;
  const look = (text: string, depth: number): void => {
    if (depth > maxDepth) left = -1;
    if (left < 0) return;
    const inner = [...substitutions(text), ...splitCommand(text).parts.flatMap(linesIn)];
    for (const each of inner) {
      left -= each.length;
      if (left < 0) return;
      const parts = splitCommand(each).parts.filter((part) => !found.has(part));
      for (const part of parts.flatMap((command) => [command, ...withoutOptions(command)])) {
        found.add(part);
      }
      if (parts.length > 0) look(each, depth + 1);
    }
  };
  look(line, 0);
  return { commands: [...found], complete: left >= 0 };
}

/** Programs that run what comes after their own options. */
const wrappers = new Set(
  (
    "busybox chroot chrt command doas env exec flock ionice ltrace nice nohup nsenter parallel perf " +
    "runuser setarch setpriv setsid ssh stdbuf strace su sudo systemd-run taskset time timeout toybox " +
    "unbuffer unshare watch xargs"
  ).split(" "),
);
/** Programs that run their argument as a line of its own. */
const shells = new Set("ash bash dash eval fish ksh sh su ssh trap watch zsh".split(" "));
/** Words of a program after which comes a command. */
const carriers = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** What one simple command runs, as lines. */
function linesIn(part: string): readonly string[] {
  const grouped = part.replace(/^[({\s]+/, "");
  const bare = bareCommand(grouped);
  const words = bare.split(" ");
  const program = (words[0] ?? "").replace(/^.*\//, "");
  const after = (place: number): string => words.slice(place + 1).join(" ");
  const lines = words.flatMap((word, place) => (carriers.has(word) ? [after(place)] : []));
  if (grouped !== part) lines.push(grouped.replace(/[)}\s]+$/, ""));
  // Where its own options end is not known: each word may be the one. Of some only those are left.
  if (wrappers.has(program) || program.startsWith("-")) {
    lines.push(...words.slice(0, maxWords).map((_, place) => after(place)));
  }
  if (shells.has(program)) lines.push(...quotedIn(grouped), after(0), after(1));
  return [...lines, ...withoutOptions(bare)].filter((line) => line !== "" && line !== part);
}

/** `git -C x push` is `git push`, whether or not the option takes the next word. */
function withoutOptions(command: string): readonly string[] {
  const [program = "", ...rest] = bareCommand(command).split(" ");
  if (rest[0]?.startsWith("-") !== true) return [];
  const plain = rest.findIndex((word) => !word.startsWith("-"));
  if (plain === -1) return [];
  return [rest.slice(plain), rest.slice(plain + 1)].map((words) => [program, ...words].join(" "));
}

function quotedIn(part: string): readonly string[] {
  return Array.from(
    part.matchAll(/'([^']*)'|"((?:\\.|[^"\\])*)"/gs),
    ([, single, double]) => single ?? double?.replaceAll(/\\(.)/gs, "$1") ?? "",
  );
}

/** What stands in `$(...)`, `<(...)`, `>(...)` and backticks, wherever that is not in single quotes. */
function substitutions(line: string): readonly string[] {
  const found: string[] = [];
  let isDouble = false;
  for (let index = 0; index < line.length && found.length < maxSubstitutions; index += 1) {
    const character = line[index];
    if (character === "\\") index += 1;
    else if (character === '"') isDouble = !isDouble;
    else if (character === "'" && !isDouble) {
      const end = line.indexOf("'", index + 1);
      if (end === -1) break;
      index = end;
    } else if (character === "`") {
      const end = line.indexOf("`", index + 1);
      found.push(line.slice(index + 1, end === -1 ? undefined : end));
      index = end === -1 ? line.length : end;
    } else if (/[$<>]/.test(character ?? "") && line[index + 1] === "(") {
      found.push(line.slice(index + 2, closing(line, index + 1)));
      index += 1;
    }
  }
  return found;
}

/** Where the parenthesis is closed; the end when it is not. */
function closing(line: string, start: number): number {
  let depth = 0;
  for (let index = start; index < line.length; index += 1) {
    if (line[index] === "(") depth += 1;
    if (line[index] === ")") depth -= 1;
    if (depth === 0) return index;
  }
  return line.length;
}
