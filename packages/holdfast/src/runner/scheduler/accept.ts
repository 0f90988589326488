import type { Effect } from "./input.ts";
import { fits, setPhase } from "./state.ts";
import type { SchedulerState } from "./state.ts";

/**
 * Decides whether the commit that accepts a prompt also starts its run. One slot is reserved for each session whose
 * state is still being read, because it has waited longer (S2). The run starts only if another slot is free.
 */
export function accept(
  state: SchedulerState,
  { sessionId, directory }: { sessionId: string; directory: string },
  effects: Effect[],
): void {
  const starts = mayStartAtOnce(state, sessionId, directory);
  if (starts) {
    // `since` is not used: such a start never waits for its directory, so the target never gets into `waiting`.
    const target = { sessionId, directory, wants: "start", since: 0 } as const;
    setPhase(state, sessionId, { at: "claiming", target });
  }
  effects.push({ type: "send", sessionId, starts });
}

function mayStartAtOnce(state: SchedulerState, sessionId: string, directory: string): boolean {
  const isKnown = state.lanes.has(sessionId) || state.waiting.has(sessionId);
  if (state.node === null || state.mode !== "working" || !state.isComplete || isKnown) return false;
  if (state.absent.has(directory) || state.excluded.directories.has(directory)) return false;
  // The directory of a lane that is being read is not known yet, so count the lane in every directory.
  let older = 0;
  for (const { phase } of state.lanes.values()) {
    if (phase.at === "loading" && phase.target.directory === directory) return false;
    if (phase.at === "looking") older += 1;
  }
  const { places, perDirectory } = state.limits;
  return (
    fits(state, directory) &&
    state.usedTotal + older < places &&
    (state.used.get(directory) ?? 0) + older < perDirectory
  );
}
