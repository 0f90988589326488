import type { Workspace } from "../agent/agent.ts";

/** Provides runs with a config version of their directory. A config version never changes. */
export interface Workspaces {
  /**
   * Keeps a config version open for a run: the one that the parent run uses in this directory, else the newest (M7).
   * Throws a WorkspaceError if the directory cannot be loaded and no config version is in use, and an AbortError if the
   * signal aborts or the process shuts down.
   */
  acquire(request: PinRequest): Promise<Pin>;
  /** True if `acquire` would probably not wait, so the scheduler may give the run a slot. */
  isReady(directory: string): boolean;
  /**
   * True if a parent run lets the session use the parent's config version. Only then must the caller of `acquire` look
   * up which run sent the session's next prompt.
   */
  isShared(sessionId: string): boolean;
}

export interface PinRequest {
  readonly directory: string;
  readonly sessionId: string;
  /** The run that sent the prompt. Null if no run sent it. */
  readonly parentRunId: string | null;
  /** Abort it to stop waiting for the config version. To release a config version after `acquire`, call `release`. */
  readonly signal?: AbortSignal;
  /** Called if the request must wait, so that other runs can use the slot meanwhile. */
  readonly onWait?: () => void;
}

/** Keeps a config version (generation) open for a run, from before its start until its end. */
export interface Pin {
  readonly workspace: Workspace;
  /** Sets the id of the run, so that a waiting reload or close can report which run it waits for. */
  bind(runId: string): void;
  /** Call before the run sends a prompt to a child session, so that the child can use the same config version. */
  share(childSessionId: string): void;
  /** Releases the config version; does not wait until it is torn down. Further calls do nothing. */
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

/** Creates the error of a request that was aborted or that came during shutdown. */
export function abortError(): Error {
  return new DOMException("The request was aborted.", "AbortError");
}
