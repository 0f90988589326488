import { isInside } from "../tools/paths.ts";
import type { ToolSettings } from "../tools/tool.ts";

/** Removes allowed paths outside of the directories that the run is limited to. */
export function limitSettings(
  settings: ToolSettings,
  directories: readonly string[] | null,
): ToolSettings {
  if (directories === null) return settings;
  const { allowedPaths } = settings;
  const both = [
    ...allowedPaths.filter((path) => isInsideAny(path, directories)),
    ...directories.filter((directory) => isInsideAny(directory, allowedPaths)),
  ];
  return { ...settings, allowedPaths: [...new Set(both)] };
}

function isInsideAny(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isInside(path, root));
}
