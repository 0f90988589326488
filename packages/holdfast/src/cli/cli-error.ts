/** Exit codes of commands. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  /** The connection to the server was lost, so the outcome is unknown. */
  unreachable: 3,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A problem that the user can fix. */
export class CliError extends Error {
  readonly code: string;
  readonly exitCode: ExitCode;

  constructor(code: string, message: string, exitCode: ExitCode = exitCodes.failure) {
    super(message);
    this.name = "CliError";
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** Explains a file system error in plain words. */
export function fileReason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ENOENT") return "it does not exist";
  if (code === "EACCES" || code === "EPERM") return "access is denied";
  if (code === "EEXIST") return "it already exists";
  if (code === "EISDIR") return "it is a folder";
  if (code === "ENOTDIR") return "a part of its path is a file, not a folder";
  if (code === "EROFS") return "the disk is read-only";
  if (code === "ENOSPC" || code === "EDQUOT") return "the disk is full";
  return error instanceof Error ? error.message : String(error);
}

export interface JsonOption {
  readonly json?: true;
}

/** Prints the result of a command: one line of JSON with --json, otherwise a sentence. */
export function printResult({ json }: JsonOption, value: unknown, words: string): void {
  console.log(json === true ? JSON.stringify(value) : words);
}
