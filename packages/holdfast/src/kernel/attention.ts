import type { LaneState, UnsettledPrompt } from "./state.ts";

/** The next action that a lane needs from a process, derived only from stored state (L3). */
export interface Attention {
  /**
   * `start`: run the lane's first prompt. `work`: execute the lane's first exclusive operation, such as an undo.
   * `takeOver`: continue a run that has no owner.
   */
  readonly ready: "start" | "work" | "takeOver" | null;
  /**
   * Time of the lane's next timed change, such as the expiry of a prompt; null: none. At that time a process must send
   * the command `lane.tick`.
   */
  readonly dueAt: number | null;
  /** The process that executes the active run or exclusive operation. If the process dies, another can take over. */
  readonly owner: string | null;
}

export function attention(state: LaneState): Attention {
  return { ready: readiness(state), dueAt: nextDue(state), owner: state.active?.owner ?? null };
}

/** True if the lane has no active run or exclusive operation, no hold and an empty queue. */
export function isIdle({ active, holds, queue }: LaneState): boolean {
  return active === null && holds.length === 0 && queue.length === 0;
}

/** True if the lane has an active run, a queued item, or a hold that ends at a set time. */
export function isUnsettled({ active, holds, queue }: LaneState): boolean {
  const isTimed = holds.some((hold) => hold.kind === "failure" && hold.retryAt !== null);
  return active !== null || queue.length > 0 || isTimed;
}

/**
 * Returns the prompt that the next run would start with; null if an exclusive operation comes first or the queue has
 * none. Messages without reply and expired prompts before it are settled when the run starts.
 */
export function startingPrompt({ queue }: LaneState, at: number): UnsettledPrompt | null {
  for (const item of queue) {
    if (item.kind === "work") return null;
    const isExpired = item.expiresAt !== null && item.expiresAt <= at;
    if (item.reply && !isExpired) return item;
  }
  return null;
}

function readiness(state: LaneState): Attention["ready"] {
  const { active, holds, queue } = state;
  if (active === null) {
    const first = queue[0];
    if (first === undefined) return null;
    if (first.kind === "work") return "work";
    return holds.length > 0 ? null : "start";
  }
  const abandoned = active.kind === "run" && active.owner === null;
  const kept = holds.some((hold) => hold.kind !== "person");
  return abandoned && active.condition.status !== "closing" && !kept ? "takeOver" : null;
}

/** True if no process has to act on the lane, now or later, unless the process that owns its run dies. */
export function wantsNothing(state: LaneState): boolean {
  return readiness(state) === null && nextDue(state) === null;
}

function nextDue(state: LaneState): number | null {
  const times: (number | null)[] = [];
  for (const item of state.queue) if (item.kind === "prompt") times.push(item.expiresAt);
  for (const hold of state.holds) if (hold.kind === "failure") times.push(hold.retryAt);
  const { active } = state;
  if (active?.condition.status === "stopping") times.push(active.condition.deadline);
  if (active?.kind === "run") {
    if (active.condition.status === "running") times.push(active.deadline);
    for (const ask of active.asks) times.push(ask.expiresAt);
  }
  return times.reduce(
    (least, time) => (least === null || (time !== null && time < least) ? time : least),
    null,
  );
}
