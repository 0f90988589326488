import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { allows } from "../../kernel/directories.ts";
import { ApiError } from "../errors.ts";
import type { Principal } from "../ports.ts";

/** Whether a session in this directory exists for the principal. By real paths only. */
export function mayUse(
  { directories }: Pick<Principal, "directories">,
  directory: string,
): boolean {
  return allows(directories, directory);
}

/**
 * The real path of a folder that a client names, so that neither `..` nor a link leads out of what
 * it may use. Whether a folder outside exists is not told.
 */
export async function resolveDirectory(principal: Principal, directory: string): Promise<string> {
  const real = await realFolder(directory);
  if (real !== null && mayUse(principal, real)) return real;
  if (principal.directories !== null) {
    throw new ApiError("forbidden", "this token is not for that directory", {
      details: { directories: principal.directories },
    });
  }
  throw new ApiError("invalid", `${JSON.stringify(directory)} is no folder on the server`, {
    details: { field: "directory" },
  });
}

/** Null when it is not absolute, or no folder. */
export async function realFolder(directory: string): Promise<string | null> {
  if (!isAbsolute(directory) || directory.includes("\0")) return null;
  try {
    const real = await realpath(directory);
    return (await stat(real)).isDirectory() ? real : null;
  } catch {
    return null;
  }
}
