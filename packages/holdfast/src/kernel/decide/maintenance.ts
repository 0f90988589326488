import type { Actor } from "../event.ts";
import type {
  MaintenanceAction,
  MaintenancePart,
  MaintenanceTold,
  PinningRun,
} from "../maintenance.ts";
import { invalid, refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";

/** A wish for maintenance, with the nodes that are alive and so have a part in it. */
export interface MaintenanceRequest extends Wish {
  readonly actionId: string;
  readonly actor: Actor;
  readonly nodes: readonly string[];
  readonly at: number;
}

type Wish = Pick<
  MaintenanceAction,
  "kind" | "directories" | "mode" | "cause" | "restart" | "revoke"
>;

export type MaintenanceChange = { readonly at: number } & (
  | { readonly type: "report"; readonly part: ReportedPart }
  /** Their leases are over: whatever they had open is gone with them. */
  | { readonly type: "lose"; readonly nodes: readonly string[] }
  /** What failures have held in the directories may try again. */
  | { readonly type: "lift" }
  | { readonly type: "force"; readonly actor: Actor }
);

export type ReportedPart = Exclude<MaintenancePart, { status: "pending" | "lost" }>;

/** The same id is the same action, as long as it is for the same wish. */
export function requestAction(
  existing: MaintenanceAction | null,
  request: MaintenanceRequest,
): MaintenanceAction | Refused {
  const { actionId, actor, nodes, at, ...given } = request;
  if (!idPattern.test(actionId)) {
    return invalid(
      "actionId",
      "actionId must be 1 to 100 characters out of letters, digits and . _ : @ + = ~ -",
    );
  }
  if (given.directories?.length === 0) {
    return invalid("directories", "directories must name at least one, or be null for all");
  }
  const wish = normal(given);
  if (existing !== null) {
    if (wishText(existing) === wishText(wish)) return existing;
    return refuse(
      { code: "conflict" },
      `maintenance ${actionId} exists with another wish; ask under a new id`,
    );
  }
  return settle(
    {
      actionId,
      ...wish,
      actor,
      requestedAt: at,
      forced: null,
      parts: nodes.map((nodeId) => ({ nodeId, status: "pending" })),
      lifted: wish.kind !== "refresh",
      status: "requested",
      endedAt: null,
    },
    at,
  );
}

/** Answers the very action that it was given when nothing changes. An end is an end (M3). */
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

/** Before every node has the new state, a lane that tries again could meet the old one (L4). */
export function mayLift(action: MaintenanceAction): boolean {
  return !action.lifted && action.parts.every((part) => part.status !== "pending");
}

/** Providers that no request may use any more, pinned or not: from the moment of the force on (M5). */
export function revokedBy({
  mode,
  revoke,
}: Pick<MaintenanceAction, "mode" | "revoke">): readonly string[] {
  return mode === "force" ? revoke : [];
}

/**
 * The runs that a force cancels, whenever it was asked for (M5): those that use a provider which the
 * action takes away, or, if it takes none away, all that it waits for.
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

/** What listeners are told who knew the action as it was before; null for those who knew nothing. */
export function toldBetween(
  before: MaintenanceAction | null,
  after: MaintenanceAction,
): readonly MaintenanceTold[] {
  const now: MaintenanceTold = `maintenance.${after.status}`;
  if (before === null) {
    return after.status === "requested" ? [now] : ["maintenance.requested", now];
  }
  const isNews = before.status !== after.status || waitText(before) !== waitText(after);
  return isNews ? [now] : [];
}

/** Whom it waits for, and whether it still does. */
function waitText({ mode, status, parts }: MaintenanceAction): string {
  return status === "deferred" ? JSON.stringify([mode, parts.map(runsOf)]) : "";
}

function runsOf(part: MaintenancePart): readonly (readonly string[])[] {
  const runs = part.status === "deferred" ? part.waitingFor : [];
  return runs.map(({ directory, sessionId, runId }) => [directory, sessionId, runId]);
}

/** Completed when every node has done it or is gone; failed when one could not (M3). */
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

/** Whatever order the fields came in, from here or from a store. */
function partText(part: MaintenancePart): string {
  const directories = "directories" in part ? part.directories : [];
  return JSON.stringify([part.status, directories, runsOf(part)]);
}

const idPattern = /^[A-Za-z0-9._:@+=~-]{1,100}$/;

/** The mode that was asked for at first: a later force makes no other wish of it. */
function wishText(wish: Wish & { forced?: MaintenanceAction["forced"] }): string {
  const { kind, directories, mode, cause, restart, revoke, forced = null } = wish;
  const asked = forced === null ? mode : "maintenance";
  return JSON.stringify([kind, directories, asked, cause, restart, revoke]);
}

function normal(wish: Wish): Wish {
  const { directories, restart, revoke } = wish;
  return {
    ...wish,
    directories: directories === null ? null : sorted(directories),
    restart: sorted(restart),
    revoke: sorted(revoke),
  };
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}
