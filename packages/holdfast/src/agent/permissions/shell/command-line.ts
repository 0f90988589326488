/** A command line as the parser reads it. */
export interface CommandLine {
  /** Every simple command in the line, in order, with those in substitutions and groups. */
  readonly commands: readonly SimpleCommand[];
  /** Why the line is more than a list of plain commands, for people; null if it is just that. */
  readonly unexplained: string | null;
  /** The line may run commands that are not in `commands`. */
  readonly opaque: boolean;
}

export interface SimpleCommand {
  /** The program and its arguments, without assignments and redirections. */
  readonly words: readonly Word[];
  /** The source text, with assignments and redirections. */
  readonly text: string;
  /** The operator between the previous command and this one; null for the first. */
  readonly operator: Operator | null;
}

export type Operator = "&&" | "||" | "|" | ";" | "&";

/**
 * A word of a command. `literal`: `value` is the argument. `glob`: file names replace it, each of which
 * starts with `value` (empty if the pattern starts with a wildcard). `open`: only the shell knows, and it
 * may become any number of words.
 */
export interface Word {
  readonly value: string;
  readonly kind: "literal" | "glob" | "open";
}
