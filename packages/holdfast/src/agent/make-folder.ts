import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { isFolder } from "./is-folder.ts";
import { isMissing } from "./is-missing.ts";

/**
 * Makes a folder, and those above it that are missing. Not by Node's `recursive`: that one tries for ever
 * where a folder that is there takes no other, as /proc does.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const parent = dirname(path);
    // Somebody else may have made it just now.
    if (!(await isFolder(parent))) await makeFolder(parent, mode);
    await makeOne(path, mode);
  }
}

/** Why a folder can't be made, or nothing be written into it, without the system's own way of saying it. */
export function folderProblem(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "EEXIST":
    case "ENOTDIR":
      return "a file, or a link that leads nowhere, is in its place";
    case "EISDIR":
      return "a folder is in its place";
    case "EACCES":
    case "EPERM":
      return "this user may not write there";
    case "EROFS":
      return "the disk is read-only";
    case "ENOSPC":
    case "EDQUOT":
      return "no room is left there";
    case "ENAMETOOLONG":
      return "its name is too long";
    case "ENOENT":
      return "nothing can be made there";
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
