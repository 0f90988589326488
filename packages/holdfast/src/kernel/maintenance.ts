import type { Actor } from "./event.ts";

// A reload or close of directories, stored as an action with exactly one end (M3). These rules are pure: a store
// keeps the action, and a process that changes it writes only if the version that it read is still current.

export interface MaintenanceAction {
  readonly actionId: string;
  readonly kind: MaintenanceKind;
  /** Directories of the action; null: every directory. */
  readonly directories: readonly string[] | null;
  readonly mode: "maintenance" | "force";
  readonly cause: MaintenanceCause;
  /** Keys of resources to open again even if their configuration is unchanged. */
  readonly restart: readonly string[];
  /** Providers that the action revokes when it is forced, even from runs that already use them. */
  readonly revoke: readonly string[];
  readonly actor: Actor;
  readonly requestedAt: number;
  /** Set if the action was forced after the request: who forced it, and when. */
  readonly forced: { readonly actor: Actor; readonly at: number } | null;
  /** One part for each process that was alive when the action was requested. */
  readonly parts: readonly MaintenancePart[];
  /**
   * True after this refresh has ended the pauses of failed sessions. Always true if the action is not a refresh (L4).
   */
  readonly lifted: boolean;
  readonly status: "requested" | "deferred" | "completed" | "failed";
  readonly endedAt: number | null;
}

/** Name of the notice that listeners receive when an action's status changes. */
export type MaintenanceNotice = `maintenance.${MaintenanceAction["status"]}`;

export type MaintenanceKind = "refresh" | "close";
export type MaintenanceCause = "request" | "config" | "provider" | "mcp";

/** Progress of one process with a maintenance action, such as a reload of the config. */
export type MaintenancePart = { readonly nodeId: string } & (
  | { readonly status: "pending" }
  /** The process uses the new config, but these runs still use an old config version. */
  | {
      readonly status: "deferred";
      readonly directories: readonly string[];
      readonly waitingFor: readonly PinningRun[];
    }
  /** All old resources of the process are closed. Errors while closing are only reported. */
  | {
      readonly status: "done";
      readonly directories: readonly string[];
      readonly problems: readonly MaintenanceProblem[];
    }
  /** The process could not load the new config: the current one stays in use (M6). */
  | {
      readonly status: "failed";
      readonly directories: readonly string[];
      readonly problems: readonly MaintenanceProblem[];
    }
  /** The process has ended, so its open resources no longer exist. */
  | { readonly status: "lost" }
);

export interface PinningRun {
  readonly directory: string;
  readonly sessionId: string;
  readonly runId: string;
}

export interface MaintenanceProblem {
  readonly directory: string;
  readonly message: string;
}
