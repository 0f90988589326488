import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { gitFolders } from "../git-folder.ts";
import { findRepositories } from "./repository-scan.ts";
import type { GitEntry } from "./repository-scan.ts";

/** Parts of a git folder that decide which programs git runs, or where git looks for such parts. */
export const gitParts = ["hooks", "config", "config.worktree", "commondir", "gitdir"] as const;

export type GitPart = (typeof gitParts)[number];

/** A `.git`, or the git folder of a submodule or of another working tree. */
export interface GitPlace extends GitEntry {
  /** Those of its parts that exist. */
  readonly parts: readonly GitPart[];
}

export interface GitPlaces {
  /** Git folders of the directory that lie outside of it. */
  readonly outside: readonly string[];
  readonly places: readonly GitPlace[];
}

/** Every git folder that a command in this directory could write to. */
export async function findGitPlaces(directory: string): Promise<GitPlaces> {
  const [outside, inside] = await Promise.all([gitFolders(directory), findRepositories(directory)]);
  const entries = [...(await Promise.all(outside.map(entryAt))).flat(), ...inside];
  const nested = await Promise.all(
    entries.map(async (entry) => [entry, ...(await belowGitFolder(entry))]),
  );
  const places = nested.flat().map(async (entry) => ({ ...entry, parts: await partsOf(entry) }));
  return { outside, places: await Promise.all(places) };
}

/** Git folders of submodules and other working trees, which are kept in the repository's own. */
async function belowGitFolder({ kind, path }: GitEntry): Promise<readonly GitEntry[]> {
  if (kind !== "folder") return [];
  const trees = await foldersIn(join(path, "worktrees"));
  return [...trees, ...(await submodules(join(path, "modules"), 0))];
}

/** The name of a submodule may contain slashes, and a submodule may have submodules. */
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
