import { lstat } from "node:fs/promises";
import { join } from "node:path";

// What a start without any config has to load of it.

export type Scope = "user" | "project";

/** Where a layer's files are. */
export interface LayerPlaces {
  readonly scope: Scope;
  readonly file: string;
  readonly agents: string;
  readonly commands: string;
  /** Files may not lead out of here; null for the user's own. */
  readonly within: string | null;
  /** Names that people might give the file, and that are not read. */
  readonly misnamed: readonly string[];
}

export const maxConfigBytes = 262_144;

export function projectPlaces(directory: string): LayerPlaces {
  return {
    scope: "project",
    file: join(directory, "holdfast.jsonc"),
    agents: join(directory, ".holdfast", "agents"),
    commands: join(directory, ".holdfast", "commands"),
    within: directory,
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
    within: null,
    misnamed: ["config.json", "holdfast.jsonc", "holdfast.json"].map((name) => join(folder, name)),
  };
}

/** Whether there is nothing of it at all, not even under a wrong name. */
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
