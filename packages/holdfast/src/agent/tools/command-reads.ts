import { lstat, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { programOf } from "../permissions/carried-commands.ts";
import { comparedFolders, namedFiles } from "../permissions/named-files.ts";
import { explain } from "../permissions/shell/explain.ts";
import { follow, foldersUp } from "./paths.ts";
import type { FoundPlace } from "./paths.ts";
import { dangerOf } from "./sandbox/harmless-repository.ts";
import type { CommandReads, ToolContext } from "./tool.ts";

/** Maximum number of words to resolve as files. A longer command line needs permission. */
const maxFiles = 100;

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
      const [own, ...places] = (await realPlaces([".", ...files], { folder, context })) ?? [];
      if (own === undefined) return null;
      const compared = comparedFolders(words);
      if (compared !== null && (await comparesFolders(places, compared))) return null;
      return [own, ...places].map(({ subject }) => subject);
    }),
  );
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

/** False if git could run a program that the repository's config or hooks name. */
async function isHarmlessRepository(folder: string): Promise<boolean> {
  for (const above of foldersUp(folder)) {
    const path = join(above, ".git");
    const found = await lstat(path).catch(() => null);
    if (found === null) continue;
    if (!found.isDirectory()) return false;
    // Submodules have their own config and hooks.
    const modules = await lstat(join(path, "modules")).catch(() => null);
    return modules === null && (await dangerOf(path)) === null;
  }
  return true;
}
