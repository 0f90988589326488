import { lstat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { programOf } from "../permissions/carried-commands.ts";
import { namedFiles } from "../permissions/named-files.ts";
import { explain } from "../permissions/shell/explain.ts";
import { follow, foldersUp } from "./paths.ts";
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
  const { commands, unexplained, place } = explain(line.command, { path: line.path, directory });
  if (unexplained !== null) return [];
  const folder = resolve(directory, place);
  let left = maxFiles;
  return Promise.all(
    commands.map(async ({ words }) => {
      const files = namedFiles(words);
      left -= files?.length ?? 0;
      if (files === null || left < 0) return null;
      const isGit = programOf(words) === "git" && !line.inSandbox;
      if (isGit && !(await isHarmlessRepository(folder))) return null;
      return realSubjects([".", ...files], { folder, context });
    }),
  );
}

async function realSubjects(
  files: readonly string[],
  { folder, context }: { folder: string; context: ToolContext },
): Promise<readonly string[] | null> {
  const places = await Promise.all(
    files.filter((file) => file !== "").map((file) => follow(resolve(folder, file), context)),
  );
  // Rules know nothing of the directory limits of a run, but `allowed` does.
  const subjects = places.flatMap((place) =>
    place.status === "found" && place.allowed ? [place.subject] : [],
  );
  return subjects.length === places.length ? subjects : null;
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
