import type { Workspace } from "../agent/agent.ts";

/** Gives runs a loaded state of their directory. It must not change what it has given out. */
export interface Workspaces {
  /** Pins the newest generation; throws when the directory cannot be loaded. */
  acquire(directory: string): Promise<Pin>;
}

/** A run's hold on a generation, from before its start to its end, however it ends. */
export interface Pin {
  readonly workspace: Workspace;
  release(): Promise<void>;
}

/** One generation for every directory, for agents that bring their own configuration. */
export function constantWorkspaces(): Workspaces {
  return {
    acquire: async (directory) => ({
      workspace: Object.freeze({ generation: "constant", directory }),
      release: async () => {},
    }),
  };
}
