import type { Actor } from "../event.ts";
import type {
  MaintenanceAction,
  MaintenancePart,
  MaintenanceNotice,
  PinningRun,
} from "../maintenance.ts";
import { invalid, refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";

/** A request for maintenance, with the live nodes that must take part in it. */
export interface MaintenanceRequest extends RequestContent {
  readonly actionId: string;
  readonly actor: Actor;
  readonly nodes: readonly string[];
  readonly at: number;
}

type RequestContent = Pick<
  MaintenanceAction,
  "kind" | "directories" | "mode" | "cause" | "restart" | "revoke"
>;

export type MaintenanceChange = { readonly at: number } & (
  | { readonly type: "report"; readonly part: ReportedPart }
  /** The leases of these nodes have expired, so their open resources no longer exist. */
  | { readonly type: "lose"; readonly nodes: readonly string[] }
  /** The action has ended the pauses after failures in its directories, so that the sessions there try again. */
  | { readonly type: "lift" }
  | { readonly type: "force"; readonly actor: Actor }
);

export type ReportedPart = Exclude<MaintenancePart, { status: "pending" | "lost" }>;

/** Creates an action. A repeated id with the same request returns the existing action. */
export function requestAction(
  existing: MaintenanceAction | null,
  request: MaintenanceRequest,
): MaintenanceAction | Refused {
  const { actionId, actor, nodes, at, ...given } = request;
  if (!idPattern.test(actionId)) {
    return invalid(
      "actionId",
      "actionId must be 1 to 100 characters from letters, digits and . _ : @ + = ~ -",
    );
  }
  if (given.directories?.length === 0) {
    return invalid(
      "directories",
      '"directories" must list at least one directory, or be null for all directories',
    );
  }
  const content = normal(given);
  if (existing !== null) {
    if (requestText(existing) === requestText(content)) return existing;
    return refuse(
      { code: "conflict" },
      `a reload or close with the id ${actionId} already exists with different content; use a new id`,
    );
  }
  return settle(
    {
      actionId,
      ...content,
      actor,
      requestedAt: at,
      forced: null,
      parts: nodes.map((nodeId) => ({ nodeId, status: "pending" })),
      lifted: content.kind !== "refresh",
      status: "requested",
      endedAt: null,
    },
    at,
  );
}

/** Applies a change; returns the same object if nothing changes. An ended action never changes (M3). */
export function changeAction(
  action: MaintenanceAction,
  change: MaintenanceChange,
): MaintenanceAction {
  if (hasEnded(action)) return action;
  const changed = apply(action, change);
  return changed === action ? action : settle(changed, change.at);
}

function apply(action: MaintenanceAction, change: MaintenanceChange): MaintenanceAction {
  switch (change.type) {
    case "report":
      return onPart(action, (part) =>
        part.nodeId === change.part.nodeId && !isSame(part, change.part) ? change.part : part,
      );
    case "lose":
      return onPart(action, (part) =>
        change.nodes.includes(part.nodeId) ? { nodeId: part.nodeId, status: "lost" } : part,
      );
    case "lift":
      return mayLift(action) ? { ...action, lifted: true } : action;
    case "force": {
      if (action.mode === "force") return action;
      const { actor, at } = change;
      return { ...action, mode: "force", forced: { actor, at } };
    }
  }
}

/** True if sessions that a failure has paused may run again: no node is still loading the new config (L4). */
export function mayLift(action: MaintenanceAction): boolean {
  return !action.lifted && action.parts.every((part) => part.status !== "pending");
}

/** Lists the providers that no run may use any more because the action was forced, not even a run that already uses them (M5). */
export function revokedBy({
  mode,
  revoke,
}: Pick<MaintenanceAction, "mode" | "revoke">): readonly string[] {
  return mode === "force" ? revoke : [];
}

/**
 * Selects the runs that a forced maintenance action cancels (M5): runs on the providers that the action revokes or, if
 * the action revokes none, all runs that the action waits for.
 */
export function forcedRuns(
  { mode, revoke }: Pick<MaintenanceAction, "mode" | "revoke">,
  runs: { readonly waitingFor: readonly PinningRun[]; readonly revoked: readonly PinningRun[] },
): readonly PinningRun[] {
  if (mode !== "force") return [];
  return revoke.length > 0 ? runs.revoked : runs.waitingFor;
}

export function hasEnded(action: MaintenanceAction): boolean {
  return action.endedAt !== null;
}

export function isPartOver(part: MaintenancePart): boolean {
  return part.status !== "pending" && part.status !== "deferred";
}

/** Lists the notices for the change from `before` to `after`; `before` is null for a new action. */
export function noticesBetween(
  before: MaintenanceAction | null,
  after: MaintenanceAction,
): readonly MaintenanceNotice[] {
  const now: MaintenanceNotice = `maintenance.${after.status}`;
  if (before === null) {
    return after.status === "requested" ? [now] : ["maintenance.requested", now];
  }
  const isNews = before.status !== after.status || waitText(before) !== waitText(after);
  return isNews ? [now] : [];
}

/** Describes the runs that the action waits for; empty if it waits for none. */
function waitText({ mode, status, parts }: MaintenanceAction): string {
  return status === "deferred" ? JSON.stringify([mode, parts.map(runsOf)]) : "";
}

function runsOf(part: MaintenancePart): readonly (readonly string[])[] {
  const runs = part.status === "deferred" ? part.waitingFor : [];
  return runs.map(({ directory, sessionId, runId }) => [directory, sessionId, runId]);
}

/** Ends the action when every node is done, failed or gone: as failed if a node failed, otherwise as completed (M3). */
function settle(action: MaintenanceAction, at: number): MaintenanceAction {
  const { parts } = action;
  if (action.lifted && parts.every(isPartOver)) {
    const failed = parts.some((part) => part.status === "failed");
    return { ...action, status: failed ? "failed" : "completed", endedAt: at };
  }
  const waits = parts.some((part) => part.status === "deferred");
  return waits ? { ...action, status: "deferred" } : action;
}

function onPart(
  action: MaintenanceAction,
  update: (part: MaintenancePart) => MaintenancePart,
): MaintenanceAction {
  const parts = action.parts.map((part) => (isPartOver(part) ? part : update(part)));
  const changed = parts.some((part, index) => part !== action.parts[index]);
  return changed ? { ...action, parts } : action;
}

function isSame(left: MaintenancePart, right: MaintenancePart): boolean {
  return partText(left) === partText(right);
}

/** Serializes a part for comparison. A store may return the fields in another order, so they are listed here. */
function partText(part: MaintenancePart): string {
  const directories = "directories" in part ? part.directories : [];
  return JSON.stringify([part.status, directories, runsOf(part)]);
}

const idPattern = /^[A-Za-z0-9._:@+=~-]{1,100}$/;

/** Serializes a request for comparison. If the action was forced later, uses the mode of the original request. */
function requestText(content: RequestContent & { forced?: MaintenanceAction["forced"] }): string {
  const { kind, directories, mode, cause, restart, revoke, forced = null } = content;
  const asked = forced === null ? mode : "maintenance";
  return JSON.stringify([kind, directories, asked, cause, restart, revoke]);
}

function normal(content: RequestContent): RequestContent {
  const { directories, restart, revoke } = content;
  return {
    ...content,
    directories: directories === null ? null : sorted(directories),
    restart: sorted(restart),
    revoke: sorted(revoke),
  };
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}
