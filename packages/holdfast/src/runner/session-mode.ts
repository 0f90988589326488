import { effectiveMode } from "../kernel/session-mode.ts";
import type { LaneState, SessionMode } from "../kernel/state.ts";

/** Maximum number of parent sessions to read, far more than the coding agent nests its tasks. */
const maxParents = 100;

/** Returns the mode that applies to a session, from its own mode and the modes of its parents. */
export async function readMode(
  readLane: (sessionId: string) => Promise<LaneState | null>,
  sessionId: string,
): Promise<SessionMode> {
  const chosen: LaneState["mode"][] = [];
  let next: string | undefined = sessionId;
  while (next !== undefined && chosen.length <= maxParents) {
    const lane: LaneState | null = await readLane(next);
    chosen.push(lane?.mode ?? null);
    next = lane?.parent?.sessionId;
  }
  return effectiveMode(chosen);
}
