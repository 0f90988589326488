import { addListener } from "../../base/listeners.ts";
import { hasEnded, noticesBetween } from "../../kernel/decide/maintenance.ts";
import type { MaintenanceAction, MaintenanceNotice } from "../../kernel/maintenance.ts";
import type { StoredAction } from "./action-records.ts";

type Listener = (action: MaintenanceAction, notice: MaintenanceNotice) => void;

/** The maintenance actions that this process knows, and the local listeners for them. */
export interface ActionBook {
  /**
   * Takes over the state of an action that was just read from the store. Ignores this state if a newer one is known.
   */
  learn(seen: StoredAction, options?: { isOwn: boolean }): void;
  get(actionId: string): MaintenanceAction | null;
  open(): readonly MaintenanceAction[];
  onChange(listener: Listener): () => void;
  /** Calls the listener once, when the action has ended. Returns a function that removes the listener. */
  onEnded(actionId: string, listener: (action: MaintenanceAction) => void): () => void;
  /**
   * Waits until the maintenance action satisfies the condition, the signal aborts, or `close` is called. Resolves with
   * the last known state of the action.
   */
  until(
    actionId: string,
    options: { condition: (action: MaintenanceAction) => boolean; signal: AbortSignal },
  ): Promise<MaintenanceAction | null>;
  /** Forgets ended actions that are not in the set: the store has archived them. */
  keep(actionIds: ReadonlySet<string>): void;
  close(): void;
}

export function createActionBook(onError: (error: unknown) => void): ActionBook {
  const known = new Map<string, StoredAction>();
  const listeners = new Set<Listener>();
  const endListeners = new Map<string, Set<(action: MaintenanceAction) => void>>();
  const waiters = new Set<() => void>();
  let closed = false;

  const call = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      onError(error);
    }
  };
  const reportEnd = (action: MaintenanceAction): void => {
    const waiting = endListeners.get(action.actionId) ?? [];
    endListeners.delete(action.actionId);
    for (const listener of waiting) call(() => listener(action));
  };
  return {
    learn: (seen, { isOwn } = { isOwn: false }) => {
      const { action } = seen;
      const before = known.get(action.actionId) ?? null;
      const isLater =
        before === null || (before.version < seen.version && !hasEnded(before.action));
      // Do not report an action that had ended before this process learned of it.
      const isNews = isLater && (before !== null || isOwn || !hasEnded(action));
      if (isLater) known.set(action.actionId, seen);
      const notices = isNews ? noticesBetween(before?.action ?? null, action) : [];
      for (const name of notices)
        for (const listener of listeners) call(() => listener(action, name));
      if (hasEnded(action)) reportEnd(action);
      for (const look of waiters) look();
    },
    get: (actionId) => known.get(actionId)?.action ?? null,
    open: () => [...known.values()].map(({ action }) => action).filter((item) => !hasEnded(item)),
    onChange: (listener) => addListener(listeners, listener),
    onEnded: (actionId, listener) => {
      const waiting = endListeners.get(actionId) ?? new Set();
      endListeners.set(actionId, waiting);
      const remove = addListener(waiting, listener);
      return () => {
        remove();
        if (waiting.size === 0 && endListeners.get(actionId) === waiting) {
          endListeners.delete(actionId);
        }
      };
    },
    until: (actionId, { condition, signal }) =>
      new Promise((resolve) => {
        const finish = (): void => {
          waiters.delete(look);
          signal.removeEventListener("abort", finish);
          resolve(known.get(actionId)?.action ?? null);
        };
        const look = (): void => {
          const action = known.get(actionId)?.action;
          if (closed || signal.aborted || (action !== undefined && condition(action))) finish();
        };
        waiters.add(look);
        signal.addEventListener("abort", finish);
        look();
      }),
    keep: (actionIds) => {
      for (const [actionId, { action }] of known) {
        if (hasEnded(action) && !actionIds.has(actionId)) known.delete(actionId);
      }
    },
    close: () => {
      closed = true;
      endListeners.clear();
      for (const look of waiters) look();
    },
  };
}
