import { folderProblem } from "../base/folders.ts";
import { about, WorkspaceError } from "./loader.ts";

/** Writes a file of a person's settings; a disk that does not take it is no bug, and is said so. */
export async function writing<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    const message = `${file} can't be written: ${folderProblem(error)}`;
    throw new WorkspaceError([about(message)], { cause: error });
  }
}
