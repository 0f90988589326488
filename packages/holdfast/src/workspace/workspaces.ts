import type { Workspace } from "../agent/agent.ts";

/** Gives runs a loaded state of their directory. It must not change what it has given out. */
export interface Workspaces {
  /**
   * Pins the generation that the parent's run has pinned here, or else the newest (M7). Throws a
   * WorkspaceError when the directory cannot be loaded and nothing of it is in use, and an error
   * named AbortError when the request's signal aborts or everything is being closed.
   */
  acquire(request: PinRequest): Promise<Pin>;
  /** A pin would have nothing to wait for, as far as can be told: no place is held for a load. */
  isReady(directory: string): boolean;
  /** Some pin here is shared with the session: it is worth finding out whose prompt is its next. */
  isShared(sessionId: string): boolean;
}

export interface PinRequest {
  readonly directory: string;
  readonly sessionId: string;
  /** The run that has sent the prompt; null when no run has. */
  readonly parentRunId: string | null;
  /** Nobody waits for the pin any more. */
  readonly signal?: AbortSignal;
  /** The pin has to wait for something: what is held for its run may serve others meanwhile. */
  readonly onWait?: () => void;
}

/** A run's hold on a generation, from before its start to its end, however it ends. */
export interface Pin {
  readonly workspace: Workspace;
  /** Names the run that holds it, once there is one: others are told whom they wait for. */
  bind(runId: string): void;
  /** The run is about to send the session a prompt, which may inherit this pin. */
  share(childSessionId: string): void;
  /** Waits for nothing: what is torn down now is no affair of the run's. Repeating it does nothing. */
  release(): void;
}

/** One generation for every directory, for agents that bring their own configuration. */
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

/** The error of a request that was aborted, or that came while the host was shutting down. */
export function abortError(): Error {
  return new DOMException("no generation is wanted any more", "AbortError");
}
