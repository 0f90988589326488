import { folderProblem } from "../agent/make-folder.ts";
import { SetupError } from "../server/setup-error.ts";

/** Does something in the folder of tokens and sessions; where that can't be is no bug, and is said so. */
export async function inDataFolder<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    const problem = `the folder ${folder} can't be used: ${folderProblem(error)}`;
    throw new SetupError("unusableFolder", `${problem}; name another with --data`, error);
  }
}
