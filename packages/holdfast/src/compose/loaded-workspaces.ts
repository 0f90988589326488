import type { WorkspaceLoader, Resource } from "../workspace/loader.ts";
import type { Workspaces } from "../workspace/workspaces.ts";

/** Directories as they are when a run starts, each loaded for itself. */
export function loadedWorkspaces(loader: WorkspaceLoader): Workspaces {
  return {
    acquire: async ({ directory, signal = new AbortController().signal }) => {
      const blueprint = await loader.read(directory);
      const opened = new Map<string, Resource>();
      for (const plan of blueprint.resources) opened.set(plan.key, await plan.open(signal));
      const generation = `1.${blueprint.digest.slice(0, 12)}`;
      return {
        workspace: blueprint.build({ generation, opened }),
        bind: () => {},
        share: () => {},
        release: () => {},
      };
    },
    isShared: () => false,
  };
}
