import type { CommandOf } from "../command.ts";
import { checkOpen, emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import type { HoldRelease } from "../event.ts";
import { refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import { activeRun, resumesRun } from "../state.ts";
import type { Hold } from "../state.ts";
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
  const { holds } = draft.state;
  if (target.kind === "refresh") {
    for (const hold of holds) {
      if (hold.kind === "failure") releaseHold(draft, { hold, cause: "refresh" });
    }
    return null;
  }
  const { holdId } = target;
  const hold = holds.find((candidate) => candidate.holdId === holdId);
  if (hold === undefined) {
    return refuse({ code: "unknownHold" }, `there is no hold ${holdId}; it may have been released`);
  }
  releaseHold(draft, { hold, cause: "person" });
  return null;
}

/** Releases the run's recovery holds: a person has answered, so the run should continue (R1). */
export function releaseRun(draft: Draft): void {
  for (const hold of draft.state.holds) {
    if (hold.kind === "recovery") releaseHold(draft, { hold, cause: "person" });
  }
}

/** Releases one hold, and records whether the release lets the active run resume (R1). */
export function releaseHold(draft: Draft, release: { hold: Hold; cause: HoldRelease }): void {
  const { hold, cause } = release;
  const resumes = resumesRun(activeRun(draft.state), hold);
  emit(draft, { type: "hold.released", holdId: hold.holdId, cause, resumesRun: resumes });
}
