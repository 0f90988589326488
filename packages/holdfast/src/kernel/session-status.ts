import type { LaneState, Run } from "./state.ts";

/** `asking`: the run waits for a person. `cutOff`: the run lost its process and will be taken over. */
export type SessionStatus =
  | "idle"
  | "queued"
  | "running"
  | "asking"
  | "stopping"
  | "cutOff"
  | "working"
  | "held"
  | "deleted";

/** Statuses of sessions that may have an unfinished prompt or run. */
export const unfinishedStatuses: readonly SessionStatus[] = [
  "queued",
  "running",
  "asking",
  "stopping",
  "cutOff",
  "working",
  "held",
];

/** Returns the session's status. If several apply, a status that needs a person comes first. */
export function sessionStatus(state: LaneState): SessionStatus {
  const { status, active, holds, queue } = state;
  if (status === "deleted") return "deleted";
  if (active?.kind === "work") return "working";
  if (active !== null) return runStatus(active, holds);
  if (holds.length > 0) return "held";
  return queue.length > 0 ? "queued" : "idle";
}

/**
 * Returns the state of a session whose run has lost its process: the owner's lease ended at `lostAt`, and no other
 * process has taken the run over yet.
 */
export function withoutOwner(state: LaneState, lostAt: number): LaneState {
  const { active } = state;
  if (active?.kind !== "run") return state;
  return { ...state, active: { ...active, owner: null, cutOffAt: lostAt } };
}

function runStatus(run: Run, holds: LaneState["holds"]): SessionStatus {
  if (run.condition.status === "stopping") return "stopping";
  if (run.asks.length > 0 || run.waitsFor !== null) return "asking";
  if (run.owner !== null) return "running";
  return holds.length > 0 ? "held" : "cutOff";
}
