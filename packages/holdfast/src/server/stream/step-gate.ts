import type { LaneEvent } from "../../kernel/event.ts";
import type { LaneState } from "../../kernel/state.ts";

/** The step that a delta belongs to. */
export interface StepPlace {
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
}

/** Decides which steps a reader may get deltas of: those whose start the reader has received (T2, T3). */
export interface StepGate {
  observe(event: LaneEvent): void;
  /** True if the reader has received the start of this step. */
  covers(place: StepPlace): boolean;
}

/**
 * Creates the gate that decides which deltas (pieces of an unfinished answer) a reader may get. `state`: the state of
 * the session at the reader's position in the log.
 */
export function createStepGate(state: LaneState | null): StepGate {
  let known: StepPlace | null = state?.active?.kind === "run" ? state.active : null;
  return {
    observe: (event) => {
      if (event.type === "run.started") known = { ...event, step: 0 };
      if (event.type === "step.opened") known = event;
      // A resumed run continues with the calls of its last step and does not open that step again.
      if (event.type === "run.resumed") {
        known = { ...event, step: known?.runId === event.runId ? known.step : 0 };
      }
      if (event.type === "run.ended") known = null;
    },
    covers: ({ runId, step, attempt }) =>
      known?.runId === runId && step <= known.step && attempt <= known.attempt,
  };
}

/** Gate for readers of all sessions: they may get every delta. */
export const openGate: StepGate = { observe: () => {}, covers: () => true };
