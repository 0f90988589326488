import type { Actor } from "../../kernel/event.ts";
import type {
  MaintenanceAction,
  MaintenanceCause,
  MaintenanceKind,
  MaintenanceProblem,
  MaintenanceNotice,
  PinningRun,
} from "../../kernel/maintenance.ts";

/** Reloads and closes directories on all nodes. Runs are interrupted only if an action is forced. */
export interface Maintenance {
  /**
   * Resolves when this process uses the new config, and other nodes use it or have had two seconds to do so (M2). The
   * same id with the same request returns the same action; with a different request it throws CommandRefused.
   */
  request(input: MaintenanceInput): Promise<MaintenanceAnswer>;
  /** Forces an action that still waits for runs: cancels these runs (M5). Returns null if there is no such action. */
  force(input: { actionId: string; actor?: Actor | undefined }): Promise<MaintenanceAnswer | null>;
  get(actionId: string): Promise<MaintenanceAction | null>;
  /** Lists actions, newest first. Of the ended actions, only the last 200 are kept. */
  list(query?: MaintenanceQuery): Promise<MaintenancePage>;
  /** True if the text has the form of a cursor of this list. */
  isCursor(text: string): boolean;
  /**
   * Returns the action when it has ended. Returns the current state if the signal aborts or the process stops
   * first.
   */
  wait(target: { actionId: string; signal?: AbortSignal }): Promise<MaintenanceAction | null>;
  /** Returns the open actions that this process knows. The list may be one second old. */
  open(): readonly MaintenanceAction[];
  /** Calls the listener for each change. A notice contains the whole action, so a missed notice does no harm. */
  onChange(listener: (action: MaintenanceAction, notice: MaintenanceNotice) => void): () => void;
}

export interface MaintenanceInput {
  readonly kind: MaintenanceKind;
  /** Real paths of the directories to reload or close; null: every directory. */
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

/** The answer to every request for maintenance (M2). */
export interface MaintenanceAnswer {
  readonly status: "completed" | "deferred" | "failed";
  readonly actionId: string;
  readonly affectedDirectories: readonly string[];
  /** The runs on all nodes that still use an old config version. */
  readonly waitingFor: readonly PinningRun[];
  readonly problems: readonly MaintenanceProblem[];
}

export interface MaintenanceQuery {
  readonly status?: MaintenanceAction["status"] | undefined;
  /** Only actions that affect this directory, including actions on all directories. */
  readonly directory?: string | undefined;
  /** Additional filter, such as one for the permissions of a token. */
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

/** Builds the answer to a maintenance request from the results of all nodes (M2). */
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
