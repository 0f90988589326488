import type { Workspace } from "../agent/agent.ts";

/** Provides runs with a loaded state of their directory. A state that was handed out never changes. */
export interface Workspaces {
  /**
   * Pins the generation that the parent run has pinned in this directory, or else the newest (M7). Throws a
   * WorkspaceError if the directory cannot be loaded and no generation is in use, and an AbortError if the
   * signal aborts or everything is being closed.
   */
  acquire(request: PinRequest): Promise<Pin>;
  /** True if a pin would probably not have to wait, so that a run slot may be taken for it. */
  isReady(directory: string): boolean;
  /** True if a pin is shared with the session, so that it is worth checking which run sent its next prompt. */
  isShared(sessionId: string): boolean;
}

export interface PinRequest {
  readonly directory: string;
  readonly sessionId: string;
  /** The run that sent the prompt. Null if no run did. */
  readonly parentRunId: string | null;
  /** Aborts if the pin is no longer needed. */
  readonly signal?: AbortSignal;
  /** Called if the pin must wait, so that the run slot can serve others meanwhile. */
  readonly onWait?: () => void;
}

/** Keeps a config version (generation) loaded for a run, from before its start until its end. */
export interface Pin {
  readonly workspace: Workspace;
  /** Sets the run that holds the pin, so that waiting maintenance can name it. */
  bind(runId: string): void;
  /** Call before the run sends a prompt to a child session, so that the child can use the same config version. */
  share(childSessionId: string): void;
  /** Releases the pin without waiting for a teardown. Calling it again does nothing. */
  release(): void;
}

/** Provides one generation for every directory, for agents with their own configuration. */
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
