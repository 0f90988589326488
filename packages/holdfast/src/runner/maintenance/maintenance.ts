import type { Actor } from "../../kernel/event.ts";
import type {
  MaintenanceAction,
  MaintenanceCause,
  MaintenanceKind,
  MaintenanceProblem,
  MaintenanceNotice,
  PinningRun,
} from "../../kernel/maintenance.ts";

/** Refreshes and closes directories on all nodes. Runs are interrupted only by a force. */
export interface Maintenance {
  /**
   * Resolves when this process uses the new config, and others use it or have had two seconds for it (M2).
   * The same id with the same request is the same action; with another request it throws CommandRefused.
   */
  request(input: MaintenanceInput): Promise<MaintenanceAnswer>;
  /**
   * Cancels the runs that the action waits for, as long as it waits (M5); null if there is no such action.
   */
  force(input: { actionId: string; actor?: Actor | undefined }): Promise<MaintenanceAnswer | null>;
  get(actionId: string): Promise<MaintenanceAction | null>;
  /** Lists actions, newest first; of the ended actions only the last 200. */
  list(query?: MaintenanceQuery): Promise<MaintenancePage>;
  /** True if the text may be a cursor of this list. */
  isCursor(text: string): boolean;
  /**
   * Returns the action when it has ended. Returns the current state if the signal aborts or the process stops
   * first.
   */
  wait(target: { actionId: string; signal?: AbortSignal }): Promise<MaintenanceAction | null>;
  /** Returns the open actions that this process knows. The list may be one second old. */
  open(): readonly MaintenanceAction[];
  /** Each notice contains the whole action, so a missed one does no harm. */
  onChange(listener: (action: MaintenanceAction, notice: MaintenanceNotice) => void): () => void;
}

export interface MaintenanceInput {
  readonly kind: MaintenanceKind;
  /** Real paths; null: every directory. */
  readonly directories: readonly string[] | null;
  readonly mode?: "maintenance" | "force" | undefined;
  readonly cause?: MaintenanceCause | undefined;
  readonly restart?: readonly string[] | undefined;
  readonly revoke?: readonly string[] | undefined;
  /** Id of the action: at most 100 characters. */
  readonly actionId?: string | undefined;
  readonly actor?: Actor | undefined;
  /** Called once, when the action has ended; never if this process ends first. */
  readonly onEnded?: ((action: MaintenanceAction) => void) | undefined;
}

/** Answer of every route that changes something (M2). */
export interface MaintenanceAnswer {
  readonly status: "completed" | "deferred" | "failed";
  readonly actionId: string;
  readonly affectedDirectories: readonly string[];
  /** The runs, of all nodes together, that still use an old config version. */
  readonly waitingFor: readonly PinningRun[];
  readonly problems: readonly MaintenanceProblem[];
}

export interface MaintenanceQuery {
  readonly status?: MaintenanceAction["status"] | undefined;
  /** Only actions on this directory, including those on all directories. */
  readonly directory?: string | undefined;
  /** Additional filter, such as the permissions of a token. */
  readonly matches?: ((action: MaintenanceAction) => boolean) | undefined;
  readonly limit?: number | undefined;
  /** Cursor of the previous page. */
  readonly after?: string | null | undefined;
}

export interface MaintenancePage {
  readonly actions: readonly MaintenanceAction[];
  /** Null if this is the last page. */
  readonly cursor: string | null;
}

export { revokedBy } from "../../kernel/decide/maintenance.ts";

/** Summarizes the action over all nodes (M2). */
export function answerOf(action: MaintenanceAction): MaintenanceAnswer {
  const { actionId, status, parts } = action;
  const directories = parts.flatMap((part) => ("directories" in part ? part.directories : []));
  return {
    status: status === "requested" ? "deferred" : status,
    actionId,
    affectedDirectories: [...new Set(directories)].toSorted(),
    waitingFor: parts.flatMap((part) => (part.status === "deferred" ? part.waitingFor : [])),
    problems: parts.flatMap((part) => ("problems" in part ? part.problems : [])),
  };
}
