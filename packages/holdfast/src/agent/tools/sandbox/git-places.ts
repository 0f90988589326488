import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { findRepositories } from "./repository-scan.ts";
import type { GitEntry } from "./repository-scan.ts";
import { foldersUp, isInside } from "../paths.ts";

/** Parts of a git folder that decide which programs git runs, or where git searches for such parts. */
const gitParts = ["hooks", "config", "config.worktree", "commondir", "gitdir"] as const;

export type GitPart = (typeof gitParts)[number];

/** A `.git` file or folder, or the git folder of a submodule or another working tree. */
export interface GitPlace extends GitEntry {
  /** The parts of `gitParts` that exist in this git folder. */
  readonly parts: readonly GitPart[];
}

export interface GitPlaces {
  /** Git folders that belong to the directory but are outside of it. */
  readonly outside: readonly string[];
  readonly places: readonly GitPlace[];
}

/** Finds every git folder that a command in this directory could write to. */
export async function findGitPlaces(directory: string): Promise<GitPlaces> {
  const [outside, inside] = await Promise.all([gitFolders(directory), findRepositories(directory)]);
  const entries = [...(await Promise.all(outside.map(entryAt))).flat(), ...inside];
  const nested = await Promise.all(
    entries.map(async (entry) => [entry, ...(await belowGitFolder(entry))]),
  );
  const places = nested.flat().map(async (entry) => ({ ...entry, parts: await partsOf(entry) }));
  return { outside, places: await Promise.all(places) };
}

/** Finds the git folders of submodules and working trees inside of a git folder. */
async function belowGitFolder({ kind, path }: GitEntry): Promise<readonly GitEntry[]> {
  if (kind !== "folder") return [];
  const trees = await foldersIn(join(path, "worktrees"));
  return [...trees, ...(await submodules(join(path, "modules"), 0))];
}

/** Finds the git folders of submodules. Their names may contain slashes, and they may be nested. */
async function submodules(folder: string, depth: number): Promise<readonly GitEntry[]> {
  if (depth > 8) return [];
  const found = await foldersIn(folder);
  const all = await Promise.all(
    found.map(async (entry) => {
      const isModule = await exists(join(entry.path, "HEAD"));
      const below = isModule ? join(entry.path, "modules") : entry.path;
      return [...(isModule ? [entry] : []), ...(await submodules(below, depth + 1))];
    }),
  );
  return all.flat();
}

async function foldersIn(folder: string): Promise<readonly GitEntry[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory());
  return (await Promise.all(folders.map(({ name }) => entryAt(join(folder, name))))).flat();
}

async function entryAt(path: string): Promise<readonly GitEntry[]> {
  const found = await lstat(path, { bigint: true }).catch(() => null);
  return found === null ? [] : [{ path, kind: "folder", inode: `${found.dev}:${found.ino}` }];
}

async function partsOf({ kind, path }: GitEntry): Promise<readonly GitPart[]> {
  if (kind !== "folder") return [];
  const names = await readdir(path).catch((): string[] => []);
  return gitParts.filter((part) => names.includes(part));
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Finds the git folders that are outside of a directory, and that `git commit` in the directory must be able to write
 * to. They exist if the directory is a subfolder of a repository, or an additional working tree. A command that writes
 * only into the directory cannot add a folder to this list.
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

/**
 * Returns the git folder of the repository to which an additional working tree belongs. Returns no folder if the
 * repository does not list this working tree.
 */
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
