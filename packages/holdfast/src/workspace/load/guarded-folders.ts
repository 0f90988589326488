import { realpath } from "node:fs/promises";

/** The program's own folders: with them a run could give itself every power, or read every key. */
export interface GuardedFolders {
  /** Keys, tokens, trust, sessions, the user's own config: neither read nor changed by a run. */
  readonly hidden: readonly string[];
  /** Commands can read them, and change nothing in them. */
  readonly readOnly: readonly string[];
}

/** By their real paths, as tools see them. A folder that is not there yet is guarded by its name. */
export async function realFolders({ hidden, readOnly }: GuardedFolders): Promise<GuardedFolders> {
  return { hidden: await realOf(hidden), readOnly: await realOf(readOnly) };
}

function realOf(folders: readonly string[]): Promise<string[]> {
  return Promise.all([...new Set(folders)].map((folder) => realpath(folder).catch(() => folder)));
}
