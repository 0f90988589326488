import { forcedRuns, revokedBy } from "../../kernel/decide/maintenance.ts";
import type { ReportedPart } from "../../kernel/decide/maintenance.ts";
import type {
  MaintenanceAction,
  MaintenanceProblem,
  PinningRun,
} from "../../kernel/maintenance.ts";
import type { Applied, ApplyRequest, WorkspaceHost } from "../../workspace/host.ts";
import type { Store } from "../../store/store.ts";

/** This process's part of one action, and its progress. */
export interface OwnPart {
  /** Returns the progress of this process in the maintenance action; null if there is no progress to report yet. */
  report(nodeId: string): ReportedPart | null;
  /** Returns the runs to cancel now if the action is forced (M5); null until they are known. */
  forced(action: MaintenanceAction): readonly PinningRun[] | null;
  isOver(): boolean;
  /** Stops calling `onChange`. Work in progress continues. */
  close(): void;
}

type Ending = Pick<Extract<ReportedPart, { status: "failed" }>, "directories" | "problems"> & {
  readonly status: "done" | "failed";
};

/**
 * Starts the work that this process has to do for a maintenance action. Calls `onChange` whenever there may be new
 * progress to record.
 */
export function beginPart(
  host: WorkspaceHost | null,
  action: MaintenanceAction,
  calls: {
    onChange: () => void;
    onError: (error: unknown) => void;
    redact: (text: string) => string;
  },
): OwnPart {
  let applied: Applied | null = null;
  let ending: Ending | null = null;
  let hasWaited = false;
  /** Gives the runs that still use a provider that the action has revoked. Null until the providers are revoked. */
  let revoked: Pick<Applied, "revokedRuns"> | null = null;
  let isRevoking = false;
  let stopListening: (() => void) | null = null;
  let listener = calls.onChange;

  const work = async (workspaces: WorkspaceHost): Promise<Ending> => {
    applied = await workspaces.apply(requestFor(action));
    if (action.mode === "force") revoked = applied;
    stopListening = applied.onChange(() => listener());
    listener();
    const { directories, failures } = applied;
    const problems = [...failures, ...(await applied.ended)];
    return { status: failures.length > 0 ? "failed" : "done", directories, problems };
  };
  /**
   * Stops the providers that the maintenance action revokes, even for runs that still use them. Called only when the
   * action is forced. Before that, such runs may continue to use the providers.
   */
  const revoke = async (workspaces: WorkspaceHost, forced: MaintenanceAction): Promise<void> => {
    isRevoking = true;
    try {
      revoked = await workspaces.apply({ ...requestFor(forced), restart: [] });
    } catch (error) {
      calls.onError(error);
      revoked = nothing;
    }
    listener();
  };
  const end = ({ problems, ...result }: Ending): void => {
    ending = { ...result, problems: problems.map((problem) => redacted(problem, calls.redact)) };
    stopListening?.();
    listener();
  };
  if (host === null) ending = { status: "done", directories: [], problems: [] };
  else {
    work(host).then(end, (error: unknown) => {
      calls.onError(error);
      end(brokenBy(error, action));
    });
  }

  return {
    report: (nodeId) => {
      if (ending !== null) return { nodeId, ...ending };
      const waitingFor = applied?.waitingFor() ?? [];
      hasWaited ||= waitingFor.length > 0;
      // Report `deferred` only if the action has waited for a run. Otherwise the action ends soon, and its result is
      // reported then.
      if (applied === null || !hasWaited) return null;
      return { nodeId, status: "deferred", directories: applied.directories, waitingFor };
    },
    forced: (now) => {
      const waitingFor = applied?.waitingFor() ?? [];
      if (revokedBy(now).length === 0) return forcedRuns(now, { waitingFor, revoked: [] });
      if (host === null || (applied === null && ending !== null)) return [];
      if (applied !== null && revoked === null && !isRevoking) void revoke(host, now);
      if (revoked === null) return null;
      return forcedRuns(now, { waitingFor, revoked: revoked.revokedRuns() });
    },
    isOver: () => ending !== null,
    close: () => {
      listener = () => {};
      stopListening?.();
    },
  };
}

/** Removes secret keys from a problem's text: a server's output or a line of the config may contain one. */
function redacted(
  { directory, message }: MaintenanceProblem,
  redact: (text: string) => string,
): MaintenanceProblem {
  return { directory, message: redact(message) };
}

const nothing = { revokedRuns: (): readonly PinningRun[] => [] };

/**
 * Builds the request for the workspace host. Only a forced action takes a disconnected provider away from runs that
 * already use it.
 */
function requestFor(action: MaintenanceAction): ApplyRequest {
  const { kind, directories, restart } = action;
  return { kind, directories, restart, revoke: revokedBy(action) };
}

function brokenBy(error: unknown, { directories }: MaintenanceAction): Ending {
  const message = error instanceof Error ? error.message : String(error);
  const named = directories ?? [];
  const problems = named.map((directory) => ({ directory, message }));
  return { status: "failed", directories: named, problems };
}

/** Cancels these runs because the action was forced (M5). The queues of their sessions do not change. */
export async function cancelForced(
  store: Store,
  target: { action: MaintenanceAction; runs: readonly PinningRun[] },
): Promise<void> {
  const { actionId, actor, forced } = target.action;
  for (const { sessionId, runId } of target.runs) {
    // One cancel id per action and run, so that a repeated cancel has no further effect (C4).
    const cancelId = `force:${actionId}:${runId}`;
    const scope = { kind: "run", runId } as const;
    const by = forced?.actor ?? actor;
    const command = {
      type: "cancel",
      sessionId,
      actor: by,
      cancelId,
      scope,
      reason: "force",
    } as const;
    await store.execute({ command });
  }
}

/**
 * Ends the pauses that failures have caused, so that these sessions try again after a refresh (L4). Skips directories
 * whose new config could not be loaded: the next prompt there would fail again.
 */
export async function liftHolds(store: Store, action: MaintenanceAction): Promise<void> {
  const { actor, directories } = action;
  const failed = action.parts.flatMap((part) => (part.status === "failed" ? part.problems : []));
  const kept = new Set(failed.map(({ directory }) => directory));
  const target = { kind: "refresh" } as const;
  for (const { sessionId, directory } of await store.failureHolds(directories)) {
    if (kept.has(directory)) continue;
    await store.execute({ command: { type: "hold.release", sessionId, actor, target } });
  }
}
