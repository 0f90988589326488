import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { ToolContext } from "./tool.ts";

/** Where a path really leads, or why it may not be used. */
export type Place =
  | {
      readonly status: "found";
      /** Absolute and real: no symbolic link in it, also if nothing is there yet. */
      readonly path: string;
      readonly exists: boolean;
      /** Relative to the session's directory; absolute when it is outside of it. */
      readonly subject: string;
      readonly allowed: boolean;
    }
  | { readonly status: "refused"; readonly message: string };

export type FoundPlace = Extract<Place, { status: "found" }>;

type Scope = Pick<ToolContext, "directory"> & {
  readonly settings: Pick<ToolContext["settings"], "allowedPaths" | "guarded">;
};

const maxLinks = 40;
const maxPathBytes = 4096;

/** A place that file tools may use: inside the directory, or inside one that the settings allow. */
export async function locate(input: string, scope: Scope): Promise<Place> {
  const place = await follow(input, scope);
  if (place.status === "refused" || place.allowed) return place;
  return refused(`${shown(input)} is outside of the session's directory`);
}

/** The same without the judgement: rules and people need to know about a place outside as well. */
export async function follow(input: string, scope: Scope): Promise<Place> {
  const { directory, settings } = scope;
  if (input.includes("\0")) return refused("a path cannot contain a NUL character");
  if (input.trim() === "") return refused("the path is empty");
  if (Buffer.byteLength(input) > maxPathBytes) return refused("the path is too long");
  const root = await realpath(directory).catch(() => null);
  if (root !== directory) {
    return refused(`the session's directory ${shown(directory)} does not exist any more`);
  }
  try {
    const { path, exists } = await deepest(resolve(directory, input));
    if (await isGuarded(path, settings.guarded.hidden)) {
      return refused(
        `${shown(input)} belongs to Holdfast's own data or config; no tool may use it`,
      );
    }
    const allowed = [directory, ...settings.allowedPaths].some((root) => isInside(path, root));
    return { status: "found", path, exists, subject: subjectOf(path, directory), allowed };
  } catch (error) {
    return refused(`${shown(input)}: ${reasonOf(error)}`);
  }
}

export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The folder and all above it, the nearest first. */
export function foldersUp(directory: string): readonly string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [directory, ...foldersUp(above)];
}

/**
 * Whether a real path is in one of the program's own folders. Also by the identity of the folders above
 * it: on a disk that ignores case, or below a bind mount, a folder has several real paths.
 */
export async function isGuarded(path: string, guarded: readonly string[]): Promise<boolean> {
  if (guarded.some((folder) => isInside(path, folder))) return true;
  const own = new Set(await Promise.all(guarded.map(identity)));
  own.delete(null);
  if (own.size === 0) return false;
  const above = await Promise.all(foldersUp(path).map(identity));
  return above.some((folder) => folder !== null && own.has(folder));
}

async function identity(path: string): Promise<string | null> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

/** A path as rules and people see it. */
export function subjectOf(path: string, directory: string): string {
  if (!isInside(path, directory)) return path;
  return relative(directory, path) || ".";
}

/** A name that cannot be mistaken for several lines, for nothing, or for another one read backwards. */
export function shown(path: string): string {
  const isPlain = path.search(odd) === -1 && path.trim() === path;
  return isPlain ? path : JSON.stringify(path).replaceAll(odd, escape);
}

const odd = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** What a failed file operation means, in words for the model. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : null;
  const known = code === null ? undefined : reasons[code];
  return known ?? (error instanceof Error ? error.message : String(error));
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is a file, not a folder",
  EISDIR: "it is a folder",
  EACCES: "access is denied",
  EPERM: "the operation is not permitted",
  ELOOP: "it is a symbolic link that leads nowhere, or was put there a moment ago",
  ENAMETOOLONG: "the name is too long",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EMFILE: "too many files are open",
  ENXIO: "it is not a regular file",
};

/**
 * Resolves the links of what exists and keeps the names of what does not. A dangling link counts as
 * what it points to: writing there would create exactly that.
 */
async function deepest(start: string): Promise<{ path: string; exists: boolean }> {
  let path = start;
  let missing: string[] = [];
  for (let links = 0; links <= maxLinks;) {
    try {
      return { path: join(await realpath(path), ...missing), exists: missing.length === 0 };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
    const target = (await linkTarget(path)) ?? (await sameName(path));
    if (target === null) {
      missing = [basename(path), ...missing];
      path = dirname(path);
    } else {
      links += 1;
      path = target;
    }
  }
  throw Object.assign(new Error("too many links"), { code: "ELOOP" });
}

/** Some systems write an accented letter as two characters, which nobody sees and no model writes. */
async function sameName(path: string): Promise<string | null> {
  const name = basename(path);
  const wanted = name.normalize("NFC");
  if (/^\p{ASCII}*$/u.test(name)) return null;
  const names = await readdir(dirname(path)).catch(() => []);
  const found = names.filter((other) => other !== name && other.normalize("NFC") === wanted);
  const [only] = found;
  return only === undefined || found.length > 1 ? null : join(dirname(path), only);
}

async function linkTarget(path: string): Promise<string | null> {
  try {
    if (!(await lstat(path)).isSymbolicLink()) return null;
    const target = await readlink(path);
    return isAbsolute(target) ? target : resolve(await realpath(dirname(path)), target);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function refused(message: string): Place {
  return { status: "refused", message };
}
