/** A parsed command line. */
export interface CommandLine {
  /** All simple commands of the line in order, including those in substitutions and groups. */
  readonly commands: readonly SimpleCommand[];
  /** Null if the line contains only plain commands. Otherwise the reason why its effect is not completely known. */
  readonly unexplained: string | null;
  /** True if the line may run commands that are not in `commands`. */
  readonly opaque: boolean;
}

export interface SimpleCommand {
  /** The program and its arguments, without assignments and redirections. */
  readonly words: readonly Word[];
  /** The source text of the command, including assignments and redirections. */
  readonly text: string;
  /** The operator before this command. Null for the first command. */
  readonly operator: Operator | null;
}

export type Operator = "&&" | "||" | "|" | ";" | "&";

/**
 * A word of a command. `literal`: `value` is the argument. `glob`: the shell replaces it with file names that start
 * with `value` (empty if the pattern starts with a wildcard). `open`: only the shell knows the value, which may become
 * any number of words.
 */
export interface Word {
  readonly value: string;
  readonly kind: "literal" | "glob" | "open";
}
