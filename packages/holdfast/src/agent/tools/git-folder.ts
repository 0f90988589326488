import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { foldersUp, isInside } from "./paths.ts";

/**
 * The folders outside of a directory in which git keeps what belongs to it: those of a repository that
 * the directory is a part of, or of which it is another working tree. A command that commits has to
 * write there. Whoever writes in the directory cannot make another folder one of them.
 */
export async function gitFolders(directory: string): Promise<readonly string[]> {
  for (const root of foldersUp(directory)) {
    const path = join(root, ".git");
    const found = await stat(path).catch(() => null);
    if (found === null) continue;
    if (!found.isDirectory()) return treeFolders(path);
    return root === directory || !(await isGitFolder(path)) ? [] : [path];
  }
  return [];
}

/** A working tree's own folder and the repository's, if the repository says that the tree is its own. */
async function treeFolders(file: string): Promise<readonly string[]> {
  const [, named] = /^gitdir: (.+)$/m.exec(await textOf(file)) ?? [];
  if (named === undefined) return [];
  const own = await realpath(resolve(dirname(file), named)).catch(() => null);
  if (own === null) return [];
  const back = resolve(own, (await textOf(join(own, "gitdir"))).trim());
  const common = resolve(own, (await textOf(join(own, "commondir"))).trim());
  const isKnown = back === file && isInside(own, join(common, "worktrees"));
  return isKnown && (await isGitFolder(common)) ? [common] : [];
}

async function isGitFolder(path: string): Promise<boolean> {
  const parts = ["HEAD", "objects", "refs"].map((name) => stat(join(path, name)));
  return (await Promise.allSettled(parts)).every(({ status }) => status === "fulfilled");
}

async function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
