import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { programOf } from "../permissions/carried-commands.ts";
import { comparedFolders, namedFiles } from "../permissions/named-files.ts";
import type { Word } from "../permissions/shell/command-line.ts";
import { explain } from "../permissions/shell/explain.ts";
import { follow, foldersUp } from "./paths.ts";
import type { FoundPlace } from "./paths.ts";
import { dangerOf } from "./sandbox/harmless-repository.ts";
import type { CommandReads, ToolContext } from "./tool.ts";

/** Maximum number of words to resolve as files. A longer command line needs permission. */
const maxFiles = 100;
/** Maximum number of folders to search for nested repositories. In a larger tree, git needs permission. */
const maxFolders = 20_000;
/** Number of folders to search at the same time. */
const maxParallel = 32;

/**
 * Returns the real paths that each command of a command line may read. Returns null for a command that may do more:
 * change something, run a program from the repository's config, or read files that the command line does not name or
 * that file tools may not use.
 */
export async function commandReads(
  line: { readonly command: string; readonly path: string; readonly inSandbox: boolean },
  context: ToolContext,
): Promise<CommandReads> {
  const { directory } = context;
  const { commands, unexplained, place, entered } = explain(line.command, {
    path: line.path,
    directory,
  });
  // After a link, `cd` of the shell and the kernel resolve `..` differently.
  if (unexplained !== null || entered?.split("/").includes("..") === true) return [];
  const folder = await realpath(resolve(directory, place)).catch(() => null);
  if (folder === null) return [];
  const usesGit = commands.some(({ words }) => programOf(words) === "git");
  const mayUseGit = !usesGit || line.inSandbox || (await isHarmlessRepository(folder));
  let left = maxFiles;
  return Promise.all(
    commands.map(async ({ words }) => {
      const files = namedFiles(words);
      left -= files?.length ?? 0;
      if (files === null || left < 0) return null;
      if (programOf(words) === "git" && !mayUseGit) return null;
      if (words.some(mayMatchOption) && (await hasDashedName(folder))) return null;
      const [own, ...places] = (await realPlaces([".", ...files], { folder, context })) ?? [];
      if (own === undefined) return null;
      const compared = comparedFolders(words);
      if (compared !== null && (await comparesFolders(places, compared))) return null;
      return [own, ...places].map(({ subject }) => subject);
    }),
  );
}

/** True for a glob that the shell may replace with a name that looks like an option, such as `--files0-from=.env`. */
function mayMatchOption({ kind, value }: Word): boolean {
  return kind === "glob" && (value === "" || value.startsWith("-"));
}

/** True if a name in the folder starts with a dash, or if the folder cannot be read. */
async function hasDashedName(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => ["-"]);
  return names.some((name) => name.startsWith("-"));
}

/** Returns null if one of the files cannot be resolved or is not allowed. `folder` must be a real path. */
async function realPlaces(
  files: readonly string[],
  { folder, context }: { folder: string; context: ToolContext },
): Promise<readonly FoundPlace[] | null> {
  if (files.some(climbsAfterName)) return null;
  const places = await Promise.all(
    files.filter((file) => file !== "").map((file) => follow(resolve(folder, file), context)),
  );
  // Rules know nothing of the directory limits of a run, but `allowed` does.
  const allowed = places.flatMap((place) =>
    place.status === "found" && place.allowed ? [place] : [],
  );
  return allowed.length === places.length ? allowed : null;
}

/** True if `..` follows a name, which may be a link: then the text of the path does not tell the real folder. */
function climbsAfterName(path: string): boolean {
  const segments = path.split("/");
  const name = segments.findIndex((segment) => !["", ".", ".."].includes(segment));
  return name !== -1 && segments.includes("..", name);
}

async function comparesFolders(places: readonly FoundPlace[], least: number): Promise<boolean> {
  const existing = places.filter(({ exists }) => exists);
  if (existing.length < least) return false;
  const stats = await Promise.all(existing.map(({ path }) => stat(path).catch(() => null)));
  return stats.some((found) => found === null || found.isDirectory());
}

/** False if git could run a program that the config or hooks of the repository or of a nested one name. */
async function isHarmlessRepository(folder: string): Promise<boolean> {
  for (const above of foldersUp(folder)) {
    const path = join(above, ".git");
    const found = await lstat(path).catch(() => null);
    if (found === null) {
      // A folder with a `HEAD` may be a bare repository, which has its own config and hooks.
      if (await exists(join(above, "HEAD"))) return false;
      continue;
    }
    if (!found.isDirectory()) return false;
    // Submodules have their own config and hooks.
    if ((await exists(join(path, "modules"))) || (await dangerOf(path)) !== null) return false;
    return !(await hasOtherTree(path)) && !(await hasNestedRepository(above));
  }
  return true;
}

/** True if the config names a working tree in another place, whose nested repositories are unknown. */
async function hasOtherTree(gitFolder: string): Promise<boolean> {
  const config = await readFile(join(gitFolder, "config"), "utf8").catch(() => "");
  return /worktree/i.test(config);
}

/**
 * True if a folder below the root has a `.git`, because git also uses the config of nested repositories. Also true if
 * the tree is too large, or if a folder cannot be read.
 */
async function hasNestedRepository(root: string): Promise<boolean> {
  const queue = await foldersIn(root);
  if (queue === null) return true;
  for (let start = 0; start < queue.length;) {
    const folders = queue.slice(start, start + maxParallel);
    start += folders.length;
    const found = await Promise.all(
      folders.map(async (path) => ((await exists(join(path, ".git"))) ? null : foldersIn(path))),
    );
    for (const below of found) {
      if (below === null || queue.length + below.length > maxFolders) return true;
      queue.push(...below);
    }
  }
  return false;
}

/** Returns the folders in a folder, without `.git` and links. Null if the folder cannot be read. */
async function foldersIn(path: string): Promise<string[] | null> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.flatMap((entry) =>
      entry.isDirectory() && entry.name !== ".git" ? [join(path, entry.name)] : [],
    );
  } catch (error) {
    const isGone = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isGone ? [] : null;
  }
}

/** False only if the path certainly does not exist. */
function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => !(error instanceof Error && "code" in error && error.code === "ENOENT"),
  );
}
