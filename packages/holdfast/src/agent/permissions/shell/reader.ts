import type { Operator, SimpleCommand, Word } from "./command-line.ts";

/** The state of one parse: a position in the text, and everything found so far. */
export interface Reader {
  readonly text: string;
  at: number;
  /** Depth of substitutions and groups around the position. */
  depth: number;
  readonly commands: SimpleCommand[];
  unexplained: string | null;
  opaque: boolean;
  /** Reads commands up to a closing parenthesis, which is left unread, or the end. */
  readonly readList: (reader: Reader, closing: ")" | null) => void;
}

/** A command while its words are being read. */
export interface OpenCommand {
  readonly start: number;
  readonly words: Word[];
  readonly operator: Operator | null;
  /** An assignment, a redirection or a group: the command is not empty even without words. */
  hasMore: boolean;
  /** The words are those of `for … in`, not a command. */
  isHeader: boolean;
}

export function createReader(text: string, readList: Reader["readList"]): Reader {
  return { text, at: 0, depth: 0, commands: [], unexplained: null, opaque: false, readList };
}

/** Records why the line is not a list of plain commands. The first reason is the one people see. */
export function note(reader: Reader, reason: string): void {
  reader.unexplained ??= reason;
}

/** Stops the parse: the parser does not know what the shell makes of the rest. */
export class Unreadable extends Error {}

export function giveUp(reason: string): never {
  throw new Unreadable(reason);
}

/** Whether a word ends before this character. An empty string is the end of the text. */
export function endsWord(character: string): boolean {
  return character === "" || " \t\n;&|<>()".includes(character);
}
