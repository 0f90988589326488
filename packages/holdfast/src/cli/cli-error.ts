/** What a command ends with. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  /** The server was lost, and with it the knowledge of how it went on. */
  unreachable: 3,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Something that the person at the keyboard can put right. */
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

/** Why a file can't be used, without the system's own way of saying it. */
export function fileReason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ENOENT") return "it is not there";
  if (code === "EACCES" || code === "EPERM") return "it may not be opened";
  if (code === "EEXIST") return "it is there already";
  if (code === "EISDIR") return "it is a folder";
  if (code === "ENOTDIR") return "a file is where its folder should be";
  if (code === "EROFS") return "the disk is read-only";
  if (code === "ENOSPC" || code === "EDQUOT") return "no room is left on the disk";
  return error instanceof Error ? error.message : String(error);
}

export interface JsonOption {
  readonly json?: true;
}

/** Prints the result of a command: one line of JSON with --json, otherwise a sentence. */
export function printResult({ json }: JsonOption, value: unknown, words: string): void {
  console.log(json === true ? JSON.stringify(value) : words);
}
