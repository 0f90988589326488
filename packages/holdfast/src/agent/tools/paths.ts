import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { ToolContext } from "./tool.ts";

/** The real location of a path, or the reason why the path must not be used. */
export type Place =
  | {
      readonly status: "found";
      /** Absolute real path, with all symbolic links resolved, even if the file does not exist yet. */
      readonly path: string;
      readonly exists: boolean;
      /** Path relative to the session's directory, or absolute if outside. */
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

/** Resolves a path for file tools. The path must be inside the session's directory or an allowed path. */
export async function locate(input: string, scope: Scope): Promise<Place> {
  const place = await follow(input, scope);
  if (place.status === "refused" || place.allowed) return place;
  return refused(`${shown(input)} is outside of the session's directory`);
}

/**
 * Resolves a path, even outside of the session's directory, because rules and permission requests also concern such
 * paths.
 */
export async function follow(input: string, scope: Scope): Promise<Place> {
  const { directory, settings } = scope;
  if (input.includes("\0")) return refused("a path cannot contain a NUL character");
  if (input.trim() === "") return refused("the path is empty");
  if (Buffer.byteLength(input) > maxPathBytes) return refused("the path is too long");
  const root = await realpath(directory).catch(() => null);
  if (root !== directory) {
    return refused(`the session's directory ${shown(directory)} no longer exists`);
  }
  try {
    const { path, exists } = await resolveLinks(resolve(directory, inHome(input)));
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

/** Resolves `~` and `~/…` to the home directory, as models and hosted agents mean it. `./~` is a file named `~`. */
export function inHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}

export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Returns the folder and all its parents, nearest first. */
export function foldersUp(directory: string): readonly string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [directory, ...foldersUp(above)];
}

/**
 * True if a real path is in one of the guarded folders. Also compares device and inode, because a folder can have
 * several real paths on a case-insensitive disk or through a bind mount.
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

/** Returns the path in the form that rules contain and people see. */
export function subjectOf(path: string, directory: string): string {
  if (!isInside(path, directory)) return path;
  return relative(directory, path) || ".";
}

/** Quotes a path that contains line breaks, outer spaces or bidirectional characters, so that it cannot be misread. */
export function shown(path: string): string {
  const isPlain = path.search(unsafeCharacters) === -1 && path.trim() === path;
  return isPlain ? path : JSON.stringify(path).replaceAll(unsafeCharacters, escape);
}

const unsafeCharacters = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Returns a message for the model about a failed file operation. */
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
  ELOOP: "it is a broken symbolic link, or was replaced by a link just now",
  ENAMETOOLONG: "the name is too long",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EMFILE: "too many files are open",
  ENXIO: "it is not a regular file",
};

/**
 * Resolves the links in the existing part of a path and appends the missing names. A broken link counts as its target,
 * because writing to the link would create the target.
 */
async function resolveLinks(start: string): Promise<{ path: string; exists: boolean }> {
  let path = start;
  let missing: string[] = [];
  for (let links = 0; links <= maxLinks;) {
    try {
      return { path: join(await realpath(path), ...missing), exists: missing.length === 0 };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
    const target = (await linkTarget(path)) ?? (await normalizedName(path));
    if (target === null) {
      missing = [basename(path), ...missing];
      path = dirname(path);
    } else {
      links += 1;
      path = target;
    }
  }
  throw Object.assign(new Error("the path has too many symbolic links"), { code: "ELOOP" });
}

/**
 * Finds a file whose name differs only in Unicode normalization, because some systems store an accented letter as two
 * characters.
 */
async function normalizedName(path: string): Promise<string | null> {
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
