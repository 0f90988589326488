import type { LaneEvent } from "../../kernel/event.ts";
import type { LaneState } from "../../kernel/state.ts";

/** Which step a delta belongs to. */
export interface StepPlace {
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
}

/** Knows, from the events that a reader was given, which steps it can have deltas of (T2, T3). */
export interface StepGate {
  observe(event: LaneEvent): void;
  /** The reader knows that this step has begun. */
  covers(place: StepPlace): boolean;
}

/** Starts with what the lane is at, at the reader's place in the log. */
export function createStepGate(state: LaneState | null): StepGate {
  let known: StepPlace | null = state?.active?.kind === "run" ? state.active : null;
  return {
    observe: (event) => {
      if (event.type === "run.started") known = { ...event, step: 0 };
      if (event.type === "step.opened") known = event;
      // It goes on with the calls of its last step, without opening that again.
      if (event.type === "run.resumed") {
        known = { ...event, step: known?.runId === event.runId ? known.step : 0 };
      }
      if (event.type === "run.ended") known = null;
    },
    covers: ({ runId, step, attempt }) =>
      known?.runId === runId && step <= known.step && attempt <= known.attempt,
  };
}

/** For readers of all sessions, who know of every step by what comes with it. */
export const openGate: StepGate = { observe: () => {}, covers: () => true };
