import type { Workspace } from "../agent/agent.ts";

/** Provides runs with a loaded state of their directory. A state that was handed out never changes. */
export interface Workspaces {
  /**
   * Keeps a config version open for a run: the one that the parent run uses in this directory, or else the newest
   * (M7). Throws a WorkspaceError if the directory cannot be loaded and no config version is in use, and an
   * AbortError if the signal aborts or everything is being closed.
   */
  acquire(request: PinRequest): Promise<Pin>;
  /** True if `acquire` would probably not have to wait, so that a run slot may be taken for the run. */
  isReady(directory: string): boolean;
  /**
   * True if the session may use the config version of a parent run, so that it is worth checking which run sent its
   * next prompt.
   */
  isShared(sessionId: string): boolean;
}

export interface PinRequest {
  readonly directory: string;
  readonly sessionId: string;
  /** The run that sent the prompt. Null if no run did. */
  readonly parentRunId: string | null;
  /** Aborts if the config version is no longer needed. */
  readonly signal?: AbortSignal;
  /** Called if the request must wait, so that the run slot can serve others meanwhile. */
  readonly onWait?: () => void;
}

/** Keeps a config version (generation) loaded for a run, from before its start until its end. */
export interface Pin {
  readonly workspace: Workspace;
  /** Sets the run that keeps the config version open, so that a waiting reload or close can name the run. */
  bind(runId: string): void;
  /** Call before the run sends a prompt to a child session, so that the child can use the same config version. */
  share(childSessionId: string): void;
  /** Releases the config version without waiting for a teardown. Calling it again does nothing. */
  release(): void;
}

/** Provides one config version for every directory, for agents with their own configuration. */
export function constantWorkspaces(): Workspaces {
  return {
    acquire: async ({ directory }) => ({
      workspace: Object.freeze({ generation: "constant", directory, setup: null }),
      bind: () => {},
      share: () => {},
      release: () => {},
    }),
    isReady: () => true,
    isShared: () => false,
  };
}

/** The error of an aborted request, or of a request during shutdown. */
export function abortError(): Error {
  return new DOMException("The request was aborted.", "AbortError");
}
