import type { SchedulerState, Target } from "./state.ts";

// The lanes that wait for a slot, oldest first.

/**
 * The result of a running scan replaces `waiting` and may lack this lane, so add the lane again after the scan. A later
 * signal for the same action keeps the lane's time: the time of a signal is that of the lane's last event.
 */
export function keepDuringScan(state: SchedulerState, target: Target): void {
  if (state.scan === "none") return;
  const { sessionId, wants } = target;
  const known = state.waiting.get(sessionId) ?? state.fresh.get(sessionId);
  state.fresh.set(sessionId, known?.wants === wants ? known : target);
}

/** Adds a lane to `waiting`, sorted by `since`; lanes with equal `since` stay in order of arrival. */
export function insert(state: SchedulerState, target: Target): void {
  insertBefore(state, target, (other, since) => other > since);
}

/** Adds a claimed lane to `waiting` again, before lanes that became ready at the same time. */
export function reinsert(state: SchedulerState, target: Target): void {
  insertBefore(state, target, (other, since) => other >= since);
}

function insertBefore(
  state: SchedulerState,
  target: Target,
  isBehind: (other: number, since: number) => boolean,
): void {
  const { sessionId, since } = target;
  const others = [...state.waiting.values()].filter((other) => other.sessionId !== sessionId);
  const index = others.findIndex((other) => isBehind(other.since, since));
  const line = index === -1 ? [...others, target] : others.toSpliced(index, 0, target);
  state.waiting = new Map(line.map((each) => [each.sessionId, each]));
}

/** Removes a lane from the waiting lanes. If the window is incomplete, it has room for another lane then (S3). */
export function removeWaiting(state: SchedulerState, sessionId: string): void {
  state.fresh.delete(sessionId);
  if (state.waiting.delete(sessionId)) state.mayFindMore = true;
}
