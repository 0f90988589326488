import { realpath } from "node:fs/promises";

/**
 * Folders of Holdfast itself. A run that could write to these folders could mark its own settings as trusted. A run
 * that could read them could read every API key.
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
