import type { Actor } from "./event.ts";

// A refresh or close of generations, as a durable thing with one end (M3). Pure: a store's record holds
// the action, whoever changes it decides by these rules and writes it under the version that it read.

export interface MaintenanceAction {
  readonly actionId: string;
  readonly kind: MaintenanceKind;
  /** Null for every directory. */
  readonly directories: readonly string[] | null;
  readonly mode: "maintenance" | "force";
  readonly cause: MaintenanceCause;
  /** Keys of resources that are opened anew though nothing about them has changed. */
  readonly restart: readonly string[];
  /** Providers that the action takes away, even from runs that have them pinned, once it is forced. */
  readonly revoke: readonly string[];
  readonly actor: Actor;
  readonly requestedAt: number;
  /** Who asked for force after the request. */
  readonly forced: { readonly actor: Actor; readonly at: number } | null;
  /** One for each process that was alive at the request. */
  readonly parts: readonly MaintenancePart[];
  /** A refresh lets lanes try again that a failure holds: this has happened, or need not (L4). */
  readonly lifted: boolean;
  readonly status: "requested" | "deferred" | "completed" | "failed";
  readonly endedAt: number | null;
}

/** What is told of an action: where it has got to, each time with all there is to know of it. */
export type MaintenanceTold = `maintenance.${MaintenanceAction["status"]}`;

export type MaintenanceKind = "refresh" | "close";
export type MaintenanceCause = "request" | "config" | "provider" | "mcp";

/** What one process has to do, and how far it is. */
export type MaintenancePart = { readonly nodeId: string } & (
  | { readonly status: "pending" }
  /** The new state is in use; retired generations are still pinned by these runs. */
  | {
      readonly status: "deferred";
      readonly directories: readonly string[];
      readonly waitingFor: readonly PinningRun[];
    }
  /** All is torn down; what went wrong with that is told, and changes nothing. */
  | {
      readonly status: "done";
      readonly directories: readonly string[];
      readonly problems: readonly MaintenanceProblem[];
    }
  /** The new state could not be loaded: the present one stays in use (M6). */
  | {
      readonly status: "failed";
      readonly directories: readonly string[];
      readonly problems: readonly MaintenanceProblem[];
    }
  /** The process is gone, and with it all that it had open. */
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
