import { realpath } from "node:fs/promises";

/**
 * Folders of Holdfast itself. With write access to them, a run could trust its own settings; with read access, it could
 * read every key.
 */
export interface GuardedFolders {
  /** Folders with keys, tokens, trust, sessions and the user's config. Runs can neither read nor change them. */
  readonly hidden: readonly string[];
  /** Folders that commands can read but not change. */
  readonly readOnly: readonly string[];
}

/** Returns the real paths. A folder that does not exist yet is guarded under its given path. */
export async function realFolders({ hidden, readOnly }: GuardedFolders): Promise<GuardedFolders> {
  return { hidden: await realOf(hidden), readOnly: await realOf(readOnly) };
}

function realOf(folders: readonly string[]): Promise<string[]> {
  return Promise.all([...new Set(folders)].map((folder) => realpath(folder).catch(() => folder)));
}
