import { AgentFailure } from "../agent.ts";
import type { StepCall } from "./step.ts";

/** The same calls in a row before the model is taken to go round in circles. */
const mostRepeats = 8;

/** Fails a run whose model asks for the very same thing again and again. */
export interface LoopGuard {
  check(calls: readonly StepCall[]): void;
}

export function createLoopGuard(): LoopGuard {
  let last = "";
  let repeats = 0;
  return {
    check: (calls) => {
      const asked = JSON.stringify(calls.map(({ name, input }) => [name, input]));
      repeats = asked === last ? repeats + 1 : 1;
      last = asked;
      if (repeats >= mostRepeats) {
        const names = calls.map(({ name }) => name).join(", ");
        const message = `the model asked for the same ${repeats} times in a row: ${names}`;
        throw new AgentFailure("loop", message);
      }
    },
  };
}
