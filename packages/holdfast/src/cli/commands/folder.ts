import { realpathSync, statSync } from "node:fs";
import { CliError, exitCodes } from "../cli-error.ts";

/** A folder by its real path, the way that sessions know theirs. */
export function realFolder(folder: string): string {
  try {
    if (statSync(folder).isDirectory()) return realpathSync(folder);
  } catch {
    // It is not there: said below.
  }
  const problem = `${folder} is no folder; name one that exists with --directory`;
  throw new CliError("directory", problem, exitCodes.usage);
}
