import type { Operator, SimpleCommand, Word } from "./command-line.ts";

/** State of the parser: the position in the text, and the results so far. */
export interface Reader {
  readonly text: string;
  at: number;
  /** Nesting depth of substitutions and groups at the current position. */
  depth: number;
  readonly commands: SimpleCommand[];
  unexplained: string | null;
  opaque: boolean;
  /** Reads commands up to the end of the text or a closing parenthesis, which is not consumed. */
  readonly readList: (reader: Reader, closing: ")" | null) => void;
}

/** A command whose words are still being read. */
export interface OpenCommand {
  readonly start: number;
  readonly words: Word[];
  readonly operator: Operator | null;
  /** True if the command has an assignment, a redirection or a group, so it is not empty even without words. */
  hasMore: boolean;
  /** True if the words belong to `for … in` and are not a command. */
  isHeader: boolean;
}

export function createReader(text: string, readList: Reader["readList"]): Reader {
  return { text, at: 0, depth: 0, commands: [], unexplained: null, opaque: false, readList };
}

/** Records the reason why the line is not a list of plain commands. Only the first reason is kept, for people. */
export function note(reader: Reader, reason: string): void {
  reader.unexplained ??= reason;
}

/** Thrown to end the parse, because the meaning of the rest is unknown. */
export class Unreadable extends Error {}

export function giveUp(reason: string): never {
  throw new Unreadable(reason);
}

/** True if a word ends before this character. An empty string means the end of the text. */
export function endsWord(character: string): boolean {
  return character === "" || " \t\n;&|<>()".includes(character);
}
