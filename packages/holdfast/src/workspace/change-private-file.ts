import { withFileLock } from "../base/file-lock.ts";
import { errorNotice, WorkspaceError } from "./loader.ts";
import { writing } from "./settings-file.ts";

/** Milliseconds to wait for another process, which reads and writes one small file. */
const patience = 10_000;

/**
 * Runs a function that reads, changes and writes a settings file. Other processes that change the file with this
 * function wait, so that no change is lost.
 */
export function changePrivateFile<Result>(
  file: string,
  change: () => Promise<Result>,
): Promise<Result> {
  const late = (): never => {
    const problem = `${file} cannot be written: another Holdfast process has locked it`;
    const advice = "wait until that process has finished, or stop it, and try again";
    throw new WorkspaceError([errorNotice(`${problem}; ${advice}`)]);
  };
  return writing(file, () => withFileLock(file, change, { milliseconds: patience, late }));
}
