import { folderProblem } from "../base/folders.ts";
import { announce } from "../server/discovery.ts";
import type { Discovery } from "../server/discovery.ts";
import { SetupError } from "../server/setup-error.ts";

/** Does something in the folder of tokens and sessions; where that can't be is no bug, and is said so. */
export function inDataFolder<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  const advice = "name another with --data";
  return orUnusable({ problem: `the folder ${folder} can't be used`, advice }, work);
}

/** Writes the file by which commands find a server. */
export function announceServer(file: string, discovery: Discovery): Promise<void> {
  const advice = "name another folder with --data";
  const problem = `${file}, by which commands find this server, can't be written`;
  return orUnusable({ problem, advice }, async () => announce(file, discovery));
}

async function orUnusable<Result>(
  told: { problem: string; advice: string },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    const message = `${told.problem}: ${folderProblem(error)}; ${told.advice}`;
    throw new SetupError("unusableFolder", message, error);
  }
}
