import { folderProblem } from "../base/folders.ts";
import { writePrivateFile } from "../base/private-file.ts";
import { errorNotice, WorkspaceError } from "./loader.ts";

/** Writes a settings file that only its owner can read. */
export function writePrivately(file: string, text: string): Promise<void> {
  return writing(file, () => writePrivateFile(file, text));
}

/** Writes a settings file with the given function, and converts a disk error to a WorkspaceError with the reason. */
export async function writing<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    const message = `${file} cannot be written: ${folderProblem(error)}`;
    throw new WorkspaceError([errorNotice(message)], { cause: error });
  }
}
