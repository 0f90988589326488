import { isIdle } from "./attention.ts";
import type { AcceptCommand } from "./command.ts";
import type { LaneEvent } from "./event.ts";
import { newLane } from "./state.ts";
import type { LaneState } from "./state.ts";

// What a plain prompt comes to in a lane in which nothing is and which nobody has put away is the same in all of
// them, but for the session and its seq. So a store may write it without having read the lane, if it writes
// nothing where the lane is not such a one.

/** A plain prompt changes nothing of it but its queue and its seq. */
export function isPlainlyIdle(state: LaneState): boolean {
  return state.status === "open" && !state.archived && isIdle(state);
}

/** Whether the prompt is decided alike in every idle lane: one of a limited sender depends on the directory. */
export function isDecidedAnywhere(command: Pick<AcceptCommand, "directories">): boolean {
  return (command.directories ?? null) === null;
}

/** A child's result changes more of its parent's lane. */
export function isPlainPrompt(event: LaneEvent): boolean {
  return event.type === "prompt.accepted" && event.resultOf === null;
}

/** Stands for a plainly idle lane of which no more is known: its log has not begun. */
export function anyIdleLane(sessionId: string): LaneState {
  return newLane({ sessionId, contentHash: "", directory: "", parent: null, budget: null, seq: 0 });
}
