import { lstat } from "node:fs/promises";
import { join } from "node:path";

// Keep this file small: it is loaded even if there is no config.

export type Scope = "user" | "project";

/** Paths of the files of one config layer, such as the user's or the project's. */
export interface LayerPlaces {
  readonly scope: Scope;
  readonly file: string;
  readonly agents: string;
  readonly commands: string;
  /** Folder that must contain the real path of each file. Null: any folder, for the user's own config. */
  readonly root: string | null;
  /** Paths of misnamed config files, which are reported but not read. */
  readonly misnamed: readonly string[];
}

export const maxConfigBytes = 262_144;

export function projectPlaces(directory: string): LayerPlaces {
  return {
    scope: "project",
    file: join(directory, "holdfast.jsonc"),
    agents: join(directory, ".holdfast", "agents"),
    commands: join(directory, ".holdfast", "commands"),
    root: directory,
    misnamed: ["holdfast.json", ".holdfast/holdfast.jsonc", ".holdfast/config.jsonc"].map((name) =>
      join(directory, name),
    ),
  };
}

export function userPlaces(folder: string): LayerPlaces {
  return {
    scope: "user",
    file: join(folder, "config.jsonc"),
    agents: join(folder, "agents"),
    commands: join(folder, "commands"),
    root: null,
    misnamed: ["config.json", "holdfast.jsonc", "holdfast.json"].map((name) => join(folder, name)),
  };
}

/** True if there is no config at all, not even under a wrong name. */
export async function isUnconfigured({
  file,
  agents,
  commands,
  misnamed,
}: LayerPlaces): Promise<boolean> {
  const found = await Promise.all(
    [file, agents, commands, ...misnamed].map((path) =>
      lstat(path).then(
        () => true,
        (error: unknown) => !(error instanceof Error && "code" in error && error.code === "ENOENT"),
      ),
    ),
  );
  return !found.includes(true);
}
