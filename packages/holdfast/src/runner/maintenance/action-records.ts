import { changeAction, hasEnded, requestAction } from "../../kernel/decide/maintenance.ts";
import type { MaintenanceChange, MaintenanceRequest } from "../../kernel/decide/maintenance.ts";
import type { MaintenanceAction } from "../../kernel/maintenance.ts";
import type { Store, StoredRecord } from "../../store/store.ts";
import { CommandRefused } from "../command-refused.ts";
import type { MaintenancePage, MaintenanceQuery } from "./maintenance.ts";

/** A stored action; a higher version is a later state. */
export interface StoredAction {
  readonly action: MaintenanceAction;
  readonly version: number;
}

/**
 * Maintenance actions in the store. The rules in `kernel/maintenance.ts` check each change against the latest version
 * of the action.
 */
export interface ActionRecords {
  /** Creates the action, or returns the existing one with this id; throws CommandRefused. */
  request(request: Omit<MaintenanceRequest, "at" | "nodes">): Promise<StoredAction>;
  /** Returns the action after the change, even if nothing changed; null if there is no such action. */
  change(actionId: string, change: ActionChange): Promise<StoredAction | null>;
  get(actionId: string): Promise<StoredAction | null>;
  /** Lists actions that are open or have ended recently. */
  recent(): Promise<readonly StoredAction[]>;
  /** Lists all known actions, newest first. */
  all(): Promise<readonly MaintenanceAction[]>;
  /** Archives actions that ended a while ago and deletes the oldest of them. */
  tidy(actions: readonly MaintenanceAction[]): Promise<void>;
}

/** A change without its time, which the store's clock adds. */
export type ActionChange = MaintenanceChange extends infer T
  ? T extends unknown
    ? Omit<T, "at">
    : never
  : never;

const recentKind = "maintenance";
const endedKind = "maintenanceEnded";
/** Number of ended actions to keep in the archive. */
const keptEnded = 200;
/** Maximum number of actions to read. */
const most = 1_000;
/**
 * Milliseconds for which an ended action stays among the recent ones, so that a repeated request finds it.
 */
const tidyAfter = 10_000;

export function createActionRecords(store: Store): ActionRecords {
  const get = async (actionId: string): Promise<StoredAction | null> => {
    const recent = await store.record(recentKind, actionId);
    if (recent !== null) return stored(recent);
    const ended = await store.record(endedKind, actionId);
    return ended === null ? null : { ...stored(ended), version: Infinity };
  };
  const listed = async (kind: string): Promise<readonly StoredAction[]> =>
    (await store.records(kind, { after: null, limit: most })).map(stored);
  const forgetOldest = async (): Promise<void> => {
    const ended = (await listed(endedKind)).map(({ action }) => action).toSorted(newestFirst);
    for (const { actionId } of ended.slice(keptEnded)) {
      await store.removeRecord({ kind: endedKind, id: actionId });
    }
  };
  return {
    get,
    request: async (request) => {
      for (;;) {
        const existing = await get(request.actionId);
        // Read the nodes after the config was changed: a node that joins later loads the new config anyway.
        const nodes = (await store.nodes()).map(({ nodeId }) => nodeId);
        const at = await store.now();
        const decided = requestAction(existing?.action ?? null, { ...request, nodes, at });
        if ("refusal" in decided) throw new CommandRefused(decided.refusal);
        if (existing !== null) return existing;
        const { actionId: id } = decided;
        const write = { kind: recentKind, id, value: decided, version: null };
        const written = await store.putRecord(write);
        if (written.status === "stored") return stored(written.record);
      }
    },
    change: async (actionId, change) => {
      for (;;) {
        const found = await get(actionId);
        if (found === null) return null;
        const { action, version } = found;
        const next = changeAction(action, { ...change, at: await store.now() });
        if (next === action) return found;
        const write = { kind: recentKind, id: actionId, value: next, version };
        const written = await store.putRecord(write);
        if (written.status === "stored") return stored(written.record);
      }
    },
    recent: () => listed(recentKind),
    all: async () => {
      // Read the recent actions first, then the ended ones. `tidy` may move an action from recent to ended between the
      // two reads. Then it is found twice; in the other order it could be missed.
      const recent = await listed(recentKind);
      const ended = await listed(endedKind);
      const all = new Map([...recent, ...ended].map(({ action }) => [action.actionId, action]));
      return [...all.values()].toSorted(newestFirst);
    },
    tidy: async (actions) => {
      const ended = actions.filter(hasEnded);
      if (ended.length === 0) return;
      const now = await store.now();
      const old = ended.filter(({ endedAt }) => now - (endedAt ?? now) >= tidyAfter);
      for (const action of old) {
        const { actionId: id } = action;
        await store.putRecord({ kind: endedKind, id, value: action, version: null });
        await store.removeRecord({ kind: recentKind, id });
      }
      if (old.length > 0) await forgetOldest();
    },
  };
}

type Dated = Pick<MaintenanceAction, "requestedAt" | "actionId">;

function newestFirst(left: Dated, right: Dated): number {
  if (left.actionId === right.actionId) return 0;
  return right.requestedAt - left.requestedAt || (left.actionId < right.actionId ? 1 : -1);
}

/** Converts a stored record, without checking its format: only this program writes these records. */
function stored({ value, version }: StoredRecord): StoredAction {
  const action: MaintenanceAction = JSON.parse(JSON.stringify(value));
  return { action, version };
}

/** Returns one page of actions, newest first. */
export function pageOfActions(
  actions: readonly MaintenanceAction[],
  query: MaintenanceQuery,
): MaintenancePage {
  const { limit = 100, after = null } = query;
  const place = after === null ? null : placeOf(after);
  if (after !== null && place === null)
    throw new RangeError(
      "the cursor does not belong to the list of reloads and closes; use a cursor that this list returned",
    );
  const found = actions.filter(
    (action) => isAskedFor(action, query) && (place === null || newestFirst(place, action) < 0),
  );
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { actions: page, cursor: last === undefined ? null : cursorOf(last) };
}

export function isActionCursor(text: string): boolean {
  return placeOf(text) !== null;
}

function isAskedFor(action: MaintenanceAction, query: MaintenanceQuery): boolean {
  const { status, directory, matches } = query;
  return (
    (status === undefined || action.status === status) &&
    (directory === undefined || (action.directories?.includes(directory) ?? true)) &&
    (matches === undefined || matches(action))
  );
}

type Place = Pick<MaintenanceAction, "requestedAt" | "actionId">;

function cursorOf({ requestedAt, actionId }: Place): string {
  return Buffer.from(`${requestedAt} ${actionId}`).toString("base64url");
}

function placeOf(text: string): Place | null {
  const found = /^(\d{1,15}) (\S{1,100})$/.exec(Buffer.from(text, "base64url").toString());
  const [, requestedAt, actionId] = found ?? [];
  if (requestedAt === undefined || actionId === undefined) return null;
  return { requestedAt: Number(requestedAt), actionId };
}
