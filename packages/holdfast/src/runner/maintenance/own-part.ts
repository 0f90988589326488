import { forcedRuns, revokedBy } from "../../kernel/decide/maintenance.ts";
import type { ReportedPart } from "../../kernel/decide/maintenance.ts";
import type {
  MaintenanceAction,
  MaintenanceProblem,
  PinningRun,
} from "../../kernel/maintenance.ts";
import type { Applied, ApplyRequest, WorkspaceHost } from "../../workspace/host.ts";
import type { Store } from "../../store/store.ts";

/** What this process does for one action, and how far it is. */
export interface OwnPart {
  /** What there is to say of it by now; null as long as it has only begun. */
  report(nodeId: string): ReportedPart | null;
  /** The runs that are to be cancelled now, if the action is forced (M5). Null until they are known. */
  forced(action: MaintenanceAction): readonly PinningRun[] | null;
  isOver(): boolean;
  /** Nobody wants to hear of it any more. What was begun goes on. */
  close(): void;
}

type Ending = Pick<Extract<ReportedPart, { status: "failed" }>, "directories" | "problems"> & {
  readonly status: "done" | "failed";
};

/** Begins at once. `onChange` is called whenever there may be something new to report. */
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
  /** Null until what the action revokes was taken away from everybody. */
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
  /** Force came after the request: until now those who had it pinned were served. */
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
      // Without a run to wait for it is being torn down, which ends soon.
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

/** A server's last words, or a line of a config, may hold a key. */
function redacted(
  { directory, message }: MaintenanceProblem,
  redact: (text: string) => string,
): MaintenanceProblem {
  return { directory, message: redact(message) };
}

const nothing = { revokedRuns: (): readonly PinningRun[] => [] };

/** A provider that is only disconnected serves those who have it pinned; forced, nobody. */
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

/** Cancels runs that an action waits for (M5). What waits in their queues is left alone. */
export async function cancelForced(
  store: Store,
  target: { action: MaintenanceAction; runs: readonly PinningRun[] },
): Promise<void> {
  const { actionId, actor, forced } = target.action;
  for (const { sessionId, runId } of target.runs) {
    // Under one id for the action and the run: asked again, it covers nothing more (C4).
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
 * A refresh lets lanes try again that a failure holds (L4). Not where the new state could not be loaded:
 * the next prompt would only share the failure.
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
