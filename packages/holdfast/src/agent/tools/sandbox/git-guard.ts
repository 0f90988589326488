import { lstat, readdir, readFile, realpath, rename } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isInside } from "../paths.ts";
import type { SandboxView } from "./sandbox.ts";
import { findGitPlaces } from "./git-places.ts";
import type { GitPlace } from "./git-places.ts";
import { dangerOf, hookIn } from "./harmless-repository.ts";

/**
 * Prevents a command from selecting programs that git would run outside of the sandbox. Existing git folders cannot be
 * replaced, and their hooks and config are read-only. New ones are checked after the command.
 */
export interface GitGuard extends Pick<SandboxView, "pinned" | "readOnly"> {
  /** Git folders that are outside of the directory, and that `git commit` in the directory must be able to write to. */
  readonly writable: readonly string[];
  /**
   * Call after the command. Finds new repositories, hooks and `.git` links that could make git run programs, and
   * renames them, so that git ignores them. Returns a message for each renamed one, and for each new repository that is
   * harmless.
   */
  inspect(): Promise<readonly string[]>;
}

export async function guardGit(directory: string): Promise<GitGuard> {
  const { outside, places } = await findGitPlaces(directory);
  const folders = places.filter(({ kind }) => kind === "folder");
  const files = places.filter(({ kind }) => kind === "file");
  return {
    writable: outside,
    pinned: folders.map(({ path }) => path),
    readOnly: [
      ...folders.flatMap(({ path, parts }) => parts.map((part) => join(path, part))),
      ...files.map(({ path }) => path),
    ],
    inspect: async () => {
      const after = await findGitPlaces(directory);
      const lines: string[] = [];
      for (const place of after.places) {
        const known = places.find((before) => isSame(before, place));
        const found =
          known === undefined
            ? await inspectNew(place, { directory, places: after.places })
            : await inspectParts(place, { directory, known });
        lines.push(...found);
      }
      return lines;
    },
  };
}

/**
 * True if both are the same git folder, even if it was moved. A `.git` file must also be at the same path, because
 * relative paths in it depend on its location.
 */
function isSame(before: GitPlace, after: GitPlace): boolean {
  const isMoved = before.path !== after.path;
  return before.inode === after.inode && !(isMoved && after.kind !== "folder");
}

async function inspectNew(
  place: GitPlace,
  context: { directory: string; places: readonly GitPlace[] },
): Promise<readonly string[]> {
  const { directory, places } = context;
  const name = shownPath(place.path, directory);
  // The path no longer exists, because a folder above it was disabled (renamed) before.
  if ((await lstat(place.path).catch(() => null)) === null) return [];
  const problem = await problemOfNew(place, places);
  if (problem === null) {
    return basename(place.path) === ".git" ? [`[the command created a repository: ${name}]`] : [];
  }
  const renamed = await disable(place.path);
  return [`[renamed ${name} to ${renamed}: ${problem}. Git outside of the sandbox would use it.]`];
}

async function problemOfNew(
  { kind, path }: GitPlace,
  places: readonly GitPlace[],
): Promise<string | null> {
  switch (kind) {
    case "folder":
      return isWorkingTree(path, places) ? problemOfTree(path) : dangerOf(path);
    case "file": {
      const [, named] = /^gitdir: (.+)$/m.exec(await readFile(path, "utf8").catch(() => "")) ?? [];
      const real = await realpath(resolve(dirname(path), named ?? "")).catch(() => null);
      const known = places.find((place) => place.path === real && place.kind === "folder");
      // A `.git` file that points to a git folder in `places` is harmless, because that folder is checked separately.
      return known === undefined ? `it points to ${named ?? "nothing"}` : null;
    }
    case "link":
      return "it is a link";
  }
}

/** True for the git folder of an additional working tree, which uses the config of its repository. */
function isWorkingTree(path: string, places: readonly GitPlace[]): boolean {
  const folder = dirname(path);
  return basename(folder) === "worktrees" && places.some((place) => place.path === dirname(folder));
}

async function problemOfTree(path: string): Promise<string | null> {
  const common = await readFile(join(path, "commondir"), "utf8").catch(() => "");
  if (common.trim() !== "../..") return "it points to another repository";
  const names = await readdir(path);
  return names.includes("config.worktree") ? "it has a config of its own" : null;
}

/**
 * Disables hooks and config files that a command added to an existing git folder. The command could not change existing
 * ones: they were read-only.
 */
async function inspectParts(
  { path, parts }: GitPlace,
  { directory, known }: { directory: string; known: GitPlace },
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const part of parts.filter((name) => !known.parts.includes(name))) {
    const file = join(path, part);
    if (part === "hooks" && (await hookIn(file)) === null) continue;
    const name = shownPath(file, directory);
    const why = "the command created it. Git outside of the sandbox would use it.";
    lines.push(`[renamed ${name} to ${await disable(file)}: ${why}]`);
  }
  return lines;
}

/** Returns the path relative to the session's directory, or the absolute path if it is elsewhere. */
function shownPath(path: string, directory: string): string {
  return isInside(path, directory) ? relative(directory, path) : path;
}

/**
 * Disables a file or folder by renaming it instead of deleting it, so that nothing is lost. Returns the new name.
 */
async function disable(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const target = `${path}.disabled${number === 1 ? "" : `-${number}`}`;
    if ((await lstat(target).catch(() => null)) !== null) continue;
    await rename(path, target);
    return basename(target);
  }
}
