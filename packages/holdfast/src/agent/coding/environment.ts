import { stat } from "node:fs/promises";
import { arch, release, type } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { openRegular } from "../tools/files.ts";
import { foldersUp } from "../tools/paths.ts";
import { bestShell } from "../tools/shell.ts";

/** Facts about the machine and the directory, for the system prompt. */
export interface Environment {
  /** Local date as YYYY-MM-DD. Contains no time, so that all requests of a day can share the provider's cache. */
  readonly date: string;
  readonly system: string;
  readonly shell: string;
  /** Null: the directory is not in a git repository. */
  readonly git: GitState | null;
}

export interface GitState {
  /** Null: no branch is checked out, or the branch is unknown. */
  readonly branch: string | null;
  /** A git operation that is not finished, such as a merge; null if there is none. */
  readonly unfinished: string | null;
}

/**
 * Collects the date, the operating system, the shell and the git state, once per run. Reads git's files instead of
 * running git, because the config of a repository can make git start other programs.
 */
export async function readEnvironment(directory: string, now: number): Promise<Environment> {
  return {
    date: dateOf(new Date(now)),
    system: `${type()} ${release()} (${arch()})`,
    shell: bestShell(),
    git: await readGitState(directory),
  };
}

function dateOf(time: Date): string {
  const local = time.getTime() - time.getTimezoneOffset() * 60_000;
  return new Date(local).toISOString().slice(0, 10);
}

export async function readGitState(directory: string): Promise<GitState | null> {
  const git = await firstExisting(foldersUp(directory).map((folder) => join(folder, ".git")));
  if (git === null) return null;
  const folder = await gitFolder(git);
  if (folder === null) return { branch: null, unfinished: null };
  const [head, found] = await Promise.all([
    firstLine(join(folder, "HEAD")),
    firstExisting(Object.keys(operations).map((name) => join(folder, name))),
  ]);
  const branch = /^ref: refs\/heads\/(\S{1,200})$/.exec(head ?? "")?.[1] ?? null;
  return { branch, unfinished: found === null ? null : (operations[basename(found)] ?? null) };
}

/** Git operations, each with the file that exists until the operation is finished. */
const operations: Readonly<Record<string, string>> = {
  "rebase-merge": "rebase",
  "rebase-apply": "rebase",
  MERGE_HEAD: "merge",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
  BISECT_LOG: "bisect",
};

async function firstExisting(paths: readonly string[]): Promise<string | null> {
  const found = await Promise.all(paths.map(exists));
  return paths.find((_, place) => found[place] === true) ?? null;
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** In a worktree, `.git` is a file that contains the path of the git folder. */
async function gitFolder(path: string): Promise<string | null> {
  const line = await firstLine(path);
  if (line === null) return path;
  const target = /^gitdir: (.+)$/.exec(line)?.[1];
  return target === undefined ? null : resolve(dirname(path), target);
}

/** Returns the first line of a small file, or null if it is not a regular file. */
async function firstLine(path: string): Promise<string | null> {
  try {
    const handle = await openRegular(path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(4_096), 0, 4_096, 0);
      return buffer.toString("utf8", 0, bytesRead).split("\n")[0]?.trimEnd() ?? null;
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
