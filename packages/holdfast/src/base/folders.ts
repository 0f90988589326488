import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates a directory and its missing parents. Does not use Node's `recursive` option, which loops forever if an
 * existing parent rejects new directories, as /proc does.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const parent = dirname(path);
    // Another process may have created the parent in the meantime.
    if (!(await isFolder(parent))) await makeFolder(parent, mode);
    await makeOne(path, mode);
  }
}

/** Explains why a directory or a file in it could not be written. */
export function folderProblem(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "EEXIST":
    case "ENOTDIR":
      return "the path contains a file or a broken link instead of a folder";
    case "EISDIR":
      return "a folder with this name exists";
    case "EACCES":
    case "EPERM":
      return "this user may not write there";
    case "EROFS":
      return "the disk is read-only";
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full or a quota is reached";
    case "ENAMETOOLONG":
      return "its name is too long";
    case "ENOENT":
      return "nothing can be created there";
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (!(await isFolder(path))) throw error;
  }
}

export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** True for the file system's "no such file" error. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
