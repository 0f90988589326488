import { withDeadline } from "../../base/time.ts";
import type { Clock } from "../../base/time.ts";
import { hasEnded, isPartOver, mayLift } from "../../kernel/decide/maintenance.ts";
import type { Actor } from "../../kernel/event.ts";
import type { MaintenanceAction } from "../../kernel/maintenance.ts";
import { StoreError } from "../../store/store-error.ts";
import type { Store } from "../../store/store.ts";
import type { WorkspaceHost } from "../../workspace/host.ts";
import { createActionBook } from "./action-book.ts";
import { createActionRecords, isActionCursor, pageOfActions } from "./action-records.ts";
import type { ActionChange } from "./action-records.ts";
import { answerOf } from "./maintenance.ts";
import type { Maintenance, MaintenanceAnswer } from "./maintenance.ts";
import { beginPart, cancelForced, liftHolds } from "./own-part.ts";
import type { OwnPart } from "./own-part.ts";
import { createScanner } from "./scanner.ts";

export interface CoordinatorOptions {
  readonly store: Store;
  /** Null if this process never loads a directory, and therefore takes no part in maintenance. */
  readonly host: WorkspaceHost | null;
  /** The node id under which this process reports its part of an action; null without a lease. */
  readonly nodeId: () => string | null;
  /** Poll interval: the longest delay until this process sees another one's request. */
  readonly pollEvery: number;
  readonly clock: Clock;
  readonly newId: (kind: string) => string;
  /** Removes configured secret keys from problem texts before they are stored. */
  readonly redact?: (text: string) => string;
  readonly onError: (error: unknown) => void;
}

/** Executes this process's part of each maintenance action. It acts on stored state, so lost signals do no harm. */
export interface Coordinator {
  readonly maintenance: Maintenance;
  /**
   * Call this when a new lease replaces a lost one. The store has removed this process from the open maintenance
   * actions, and the process may have missed new requests.
   */
  rejoined(): void;
  /**
   * Call this when no run is left in this process. Waits until this process has finished its part of each open action,
   * but at most one second, so that it can report the results before its lease ends.
   */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** Milliseconds that a request waits for other nodes. */
const othersPatience = 2_000;
/**
 * Milliseconds that a maintenance request waits for this node, which may have to load a directory. Loading can be slow.
 */
const ownPatience = 60_000;
/** Milliseconds that a stopping process waits for its own work on open maintenance actions to end. */
const settlePatience = 1_000;

const local: Actor = { kind: "client", id: "local" };

export function startCoordinator(options: CoordinatorOptions): Coordinator {
  const { store, host, clock, onError } = options;
  const records = createActionRecords(store);
  const book = createActionBook(onError);
  const parts = new Map<string, OwnPart>();
  let failure = Promise.withResolvers<void>();
  const report = (error: unknown): void => {
    failure.resolve();
    // A process that can only read the store leaves maintenance to other processes.
    if (!(error instanceof StoreError && error.code === "storeReadOnly")) onError(error);
  };
  const shared: Shared = { options, records, book, parts, report, look: () => scanner.request() };
  const scanner = createScanner({
    scan: () => attendAll(shared),
    pollEvery: options.pollEvery,
    clock,
    onError: report,
  });
  const { look } = shared;
  look();

  return {
    maintenance: maintenanceOf(shared),
    rejoined: () => {
      if (host === null) return;
      // While this process had no lease, it may have missed requests to reload config. So close the config of all
      // directories: a run that needs a directory loads its current config again.
      const all = { kind: "close", directories: null, restart: [], revoke: [] } as const;
      host.apply(all).catch(onError);
      look();
    },
    settle: async () => {
      const nodeId = options.nodeId();
      const condition = (action: MaintenanceAction): boolean =>
        action.parts.every((part) => part.nodeId !== nodeId || isPartOver(part));
      failure = Promise.withResolvers();
      look();
      const ended = (signal: AbortSignal): Promise<unknown> => {
        const own = [...parts.keys()].map((id) => book.until(id, { condition, signal }));
        return Promise.race([Promise.all(own), failure.promise]);
      };
      await withDeadline(ended, { milliseconds: settlePatience, clock });
    },
    stop: async () => {
      await scanner.stop();
      for (const part of parts.values()) part.close();
      parts.clear();
      book.close();
    },
  };
}

interface Shared {
  readonly options: CoordinatorOptions;
  readonly records: ReturnType<typeof createActionRecords>;
  readonly book: ReturnType<typeof createActionBook>;
  /** This process's part of each open action, by action id. */
  readonly parts: Map<string, OwnPart>;
  readonly report: (error: unknown) => void;
  /** Requests a check of the maintenance actions in the store. */
  readonly look: () => void;
}

async function change(
  { records, book }: Shared,
  actionId: string,
  given: ActionChange,
): Promise<MaintenanceAction | null> {
  const after = await records.change(actionId, given);
  if (after !== null) book.learn(after);
  return after?.action ?? null;
}

/** Advances every open action as far as this process can. */
async function attendAll(shared: Shared): Promise<void> {
  const { options, records, book, parts, report } = shared;
  const recent = await records.recent();
  for (const seen of recent) book.learn(seen);
  const ids = new Set(recent.map(({ action }) => action.actionId));
  // Another node has archived these actions since the last scan: tell local listeners that they have ended.
  for (const { actionId } of book.open().filter((action) => !ids.has(action.actionId))) {
    const ended = await records.get(actionId);
    if (ended !== null) book.learn(ended);
  }
  book.keep(ids);
  const open = recent.map(({ action }) => action).filter((action) => !hasEnded(action));
  // Read the list of nodes after the actions. Every node named in an action was in the list before the action was
  // written, so a node that is missing now has left.
  const alive = new Set(
    open.length === 0 ? [] : (await options.store.nodes()).map(({ nodeId }) => nodeId),
  );
  for (const action of open) {
    await attend(shared, action, alive).catch(report);
  }
  for (const [actionId, part] of parts) {
    const action = book.get(actionId);
    if (action !== null && !hasEnded(action)) continue;
    part.close();
    parts.delete(actionId);
  }
  await records.tidy(recent.map(({ action }) => action)).catch(report);
}

async function attend(
  shared: Shared,
  seen: MaintenanceAction,
  alive: ReadonlySet<string>,
): Promise<void> {
  let action = await workOnPart(shared, seen);
  const gone = action.parts.filter((part) => !isPartOver(part) && !alive.has(part.nodeId));
  if (gone.length > 0) {
    const nodes = gone.map(({ nodeId }) => nodeId);
    action = (await change(shared, action.actionId, { type: "lose", nodes })) ?? action;
  }
  if (mayLift(action)) {
    await liftHolds(shared.options.store, action);
    await change(shared, action.actionId, { type: "lift" });
  }
}

/** Advances this process's own part of the action, and reports it if it has changed. */
async function workOnPart(shared: Shared, action: MaintenanceAction): Promise<MaintenanceAction> {
  const { options, parts, look } = shared;
  const { store, host, onError, redact = (text: string) => text } = options;
  const nodeId = options.nodeId();
  const recorded = action.parts.find((part) => part.nodeId === nodeId);
  if (nodeId === null || recorded === undefined || isPartOver(recorded)) return action;
  const { actionId } = action;
  const calls = { onChange: look, onError, redact };
  const part = parts.get(actionId) ?? beginPart(host, action, calls);
  parts.set(actionId, part);
  // First cancel the runs that must stop, then report this node's progress. Otherwise the action could end before these
  // runs are cancelled.
  const forced = part.forced(action);
  if (forced !== null) await cancelForced(store, { action, runs: forced });
  const report = forced === null ? null : part.report(nodeId);
  if (report === null) return action;
  return (await change(shared, actionId, { type: "report", part: report })) ?? action;
}

function maintenanceOf(shared: Shared): Maintenance {
  const { options, records, book, look } = shared;
  return {
    request: async (input) => {
      const actionId = input.actionId ?? options.newId("maintenance");
      const { onEnded, kind, directories } = input;
      const { mode = "maintenance", cause = "request", restart = [], revoke = [] } = input;
      const { actor = local } = input;
      const content = { actionId, kind, directories, mode, cause, restart, revoke, actor };
      const callOff = onEnded === undefined ? () => {} : book.onEnded(actionId, onEnded);
      try {
        const found = await records.request(content);
        book.learn(found, { isOwn: found.version === 1 });
        look();
        return await answer(shared, found.action);
      } catch (error) {
        callOff();
        throw error;
      }
    },
    force: async ({ actionId, actor = local }) => {
      const action = await change(shared, actionId, { type: "force", actor });
      look();
      return action === null ? null : answer(shared, action);
    },
    get: async (actionId) => (await records.get(actionId))?.action ?? null,
    list: async (query = {}) => pageOfActions(await records.all(), query),
    isCursor: isActionCursor,
    wait: async ({ actionId, signal = new AbortController().signal }) => {
      const found = await records.get(actionId);
      if (found === null || hasEnded(found.action)) return found?.action ?? null;
      book.learn(found);
      return (await book.until(actionId, { condition: hasEnded, signal })) ?? found.action;
    },
    open: () => book.open(),
    onChange: (listener) => book.onChange(listener),
  };
}

/**
 * Waits until this process has applied the action, and until the other nodes have applied it or their time limit has
 * passed (M2).
 */
async function answer(
  { options, book }: Shared,
  first: MaintenanceAction,
): Promise<MaintenanceAnswer> {
  if (hasEnded(first)) return answerOf(first);
  const { actionId } = first;
  const { clock } = options;
  const nodeId = options.nodeId();
  const isApplied = (action: MaintenanceAction): boolean =>
    action.parts.every((part) => part.nodeId !== nodeId || part.status !== "pending");
  const until = (
    condition: typeof isUsed,
    milliseconds: number,
  ): Promise<MaintenanceAction | null> =>
    withDeadline((signal) => book.until(actionId, { condition, signal }), { milliseconds, clock });
  const own = (await until(isApplied, ownPatience)) ?? first;
  return answerOf((await until(isUsed, othersPatience)) ?? own);
}

/** True if every node uses the new config or is gone. */
function isUsed(action: MaintenanceAction): boolean {
  return action.lifted && action.parts.every((part) => part.status !== "pending");
}
