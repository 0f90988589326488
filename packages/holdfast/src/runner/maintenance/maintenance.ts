import type { Actor } from "../../kernel/event.ts";
import type {
  MaintenanceAction,
  MaintenanceCause,
  MaintenanceKind,
  MaintenanceProblem,
  MaintenanceNotice,
  PinningRun,
} from "../../kernel/maintenance.ts";

/** Refreshes and closes of directories, on all nodes, that interrupt nothing unless they are forced. */
export interface Maintenance {
  /**
   * Answers once this process has the new state in use, and others have it or have had two seconds for
   * it (M2). The same id with the same wish is the same action; with another it throws CommandRefused.
   */
  request(input: MaintenanceInput): Promise<MaintenanceAnswer>;
  /** Cancels what the action waits for, now and as long as it waits (M5); null when there is none. */
  force(input: { actionId: string; actor?: Actor | undefined }): Promise<MaintenanceAnswer | null>;
  get(actionId: string): Promise<MaintenanceAction | null>;
  /** Newest first; of those that have ended, the last 200. */
  list(query?: MaintenanceQuery): Promise<MaintenancePage>;
  /** Whether it may be a cursor of this list. */
  isCursor(text: string): boolean;
  /** The action once it has ended, or as it is when the signal aborts or the process stops first. */
  wait(target: { actionId: string; signal?: AbortSignal }): Promise<MaintenanceAction | null>;
  /** Those that have not ended, as far as this process knows: at most a second behind. */
  open(): readonly MaintenanceAction[];
  /** Each carries the whole action, so that one that was missed does not matter. */
  onChange(listener: (action: MaintenanceAction, notice: MaintenanceNotice) => void): () => void;
}

export interface MaintenanceInput {
  readonly kind: MaintenanceKind;
  /** By their real paths; null for every directory. */
  readonly directories: readonly string[] | null;
  readonly mode?: "maintenance" | "force" | undefined;
  readonly cause?: MaintenanceCause | undefined;
  readonly restart?: readonly string[] | undefined;
  readonly revoke?: readonly string[] | undefined;
  /** At most 100 characters of those that ids are made of. */
  readonly actionId?: string | undefined;
  readonly actor?: Actor | undefined;
  /** Called once, when it has ended; never when this process ends first. */
  readonly onEnded?: ((action: MaintenanceAction) => void) | undefined;
}

/** M2's answer, the same for every route that changes something. */
export interface MaintenanceAnswer {
  readonly status: "completed" | "deferred" | "failed";
  readonly actionId: string;
  readonly affectedDirectories: readonly string[];
  /** The runs that still pin a retired generation, on all nodes. */
  readonly waitingFor: readonly PinningRun[];
  readonly problems: readonly MaintenanceProblem[];
}

export interface MaintenanceQuery {
  readonly status?: MaintenanceAction["status"] | undefined;
  /** Actions on this directory, those on all directories among them. */
  readonly directory?: string | undefined;
  /** What else must hold of an action, such as that a token may see it. */
  readonly matches?: ((action: MaintenanceAction) => boolean) | undefined;
  readonly limit?: number | undefined;
  /** The cursor of the page before. */
  readonly after?: string | null | undefined;
}

export interface MaintenancePage {
  readonly actions: readonly MaintenanceAction[];
  /** Null when there is nothing behind this page. */
  readonly cursor: string | null;
}

export { revokedBy } from "../../kernel/decide/maintenance.ts";

/** M2's answer as it follows from the action: of all nodes together. */
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
