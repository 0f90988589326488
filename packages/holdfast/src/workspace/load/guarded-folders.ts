import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import type { PermissionRule } from "../../agent/permissions/rule.ts";
import { escapeGlob } from "../../agent/tools/glob-pattern.ts";
import { isInside } from "../../agent/tools/paths.ts";

/** The program's own folders: with them a run could give itself every power, or read every key. */
export interface GuardedFolders {
  /** Keys, tokens, trust, sessions: no affair of a run's. */
  readonly hidden: readonly string[];
  /** The user's own config, which needs no trust. */
  readonly readOnly: readonly string[];
}

/** By their real paths, as tools see them. A folder that is not there yet is guarded by its name. */
export async function realFolders({ hidden, readOnly }: GuardedFolders): Promise<GuardedFolders> {
  return { hidden: await realOf(hidden), readOnly: await realOf(readOnly) };
}

function realOf(folders: readonly string[]): Promise<string[]> {
  return Promise.all([...new Set(folders)].map((folder) => realpath(folder).catch(() => folder)));
}

/** Rules that deny, which nothing else can undo. Whoever works in such a folder itself is left alone. */
export function guardRules(directory: string, guarded: GuardedFolders): readonly PermissionRule[] {
  const deny = (action: "read" | "change", folder: string): PermissionRule[] => {
    if (isInside(directory, folder)) return [];
    const inside = isInside(folder, directory);
    const path = escapeGlob(inside ? `./${relative(directory, folder)}` : folder);
    return [path, `${path}/**`].map((pattern) => ({ action, pattern, effect: "deny" }));
  };
  const { hidden, readOnly } = guarded;
  return [
    ...hidden.flatMap((folder) => deny("read", folder)),
    ...[...hidden, ...readOnly].flatMap((folder) => deny("change", folder)),
  ];
}
