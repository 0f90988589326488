import type { CommandOf } from "../command.ts";
import { checkOpen, emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import { bounds, checkChosenId, checkText, firstRefusal } from "../validate.ts";

/** Pauses the lane for a person: no new run starts, and the active run continues. */
export function decideHoldPlace(draft: Draft, command: CommandOf<"hold.place">): Refused | null {
  const { holdId, reason } = command;
  const refusal = firstRefusal(
    checkChosenId("holdId", holdId),
    checkText("reason", reason),
    checkOpen(draft),
  );
  if (refusal !== null) return refusal;
  const { holds } = draft.state;
  if (holds.some((hold) => hold.holdId === holdId)) return null;
  if (holds.length >= bounds.holds) {
    return refuse(
      { code: "tooManyHolds", limit: bounds.holds },
      `the session has ${holds.length} holds (pauses), and the limit is ${bounds.holds}; release one first`,
    );
  }
  emit(draft, { type: "hold.placed", hold: { kind: "person", holdId, reason } });
  return null;
}

export function decideHoldRelease(
  draft: Draft,
  command: CommandOf<"hold.release">,
): Refused | null {
  const { target } = command;
  if (target.kind === "refresh") {
    for (const { kind, holdId } of draft.state.holds) {
      if (kind === "failure") emit(draft, { type: "hold.released", holdId, cause: "refresh" });
    }
    return null;
  }
  const { holdId } = target;
  if (!draft.state.holds.some((hold) => hold.holdId === holdId)) {
    return refuse({ code: "unknownHold" }, `there is no hold ${holdId}; it may have been released`);
  }
  emit(draft, { type: "hold.released", holdId, cause: "person" });
  return null;
}

/** Releases the run's recovery holds: a person has answered, so the run should continue (R1). */
export function releaseRun(draft: Draft): void {
  for (const { kind, holdId } of draft.state.holds) {
    if (kind === "recovery") emit(draft, { type: "hold.released", holdId, cause: "person" });
  }
}
