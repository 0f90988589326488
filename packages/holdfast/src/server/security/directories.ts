import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { allows } from "../../kernel/directories.ts";
import { ApiError } from "../errors.ts";
import type { Principal } from "../ports.ts";

/** True if the principal may use sessions in this directory. Compares real paths. */
export function mayUse(
  { directories }: Pick<Principal, "directories">,
  directory: string,
): boolean {
  return allows(directories, directory);
}

/** Returns a function that is true for directories that the principal may use. Null: the principal may use all. */
export function directoryFilter(principal: Principal): ((directory: string) => boolean) | null {
  return principal.directories === null ? null : (directory) => mayUse(principal, directory);
}

/**
 * Returns the real path of a directory that a client names, so that neither `..` nor a symbolic link leads out of the
 * allowed directories. Does not reveal whether a directory outside of them exists.
 */
export async function resolveDirectory(principal: Principal, directory: string): Promise<string> {
  const real = await realFolder(directory);
  if (real !== null && mayUse(principal, real)) return real;
  if (principal.directories !== null) {
    throw new ApiError("forbidden", "this token may not use that directory", {
      details: { directories: principal.directories },
    });
  }
  throw new ApiError(
    "invalid",
    `${JSON.stringify(directory)} is not a folder on the server; name an absolute path`,
    {
      details: { field: "directory" },
    },
  );
}

/** Returns the real path of a directory; null if the path is not absolute or is not a directory. */
export async function realFolder(directory: string): Promise<string | null> {
  if (!isAbsolute(directory) || directory.includes("\0")) return null;
  try {
    const real = await realpath(directory);
    return (await stat(real)).isDirectory() ? real : null;
  } catch {
    return null;
  }
}
