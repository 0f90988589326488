import { AgentFailure } from "../agent.ts";
import type { Message } from "../message.ts";

/** The same step in a row before the model is taken to go round in circles. */
const mostRepeats = 8;

/** Fails a run whose model does the very same thing again and again, with the very same result. */
export interface LoopGuard {
  /** Before a step: the last one's messages are the last of the conversation. */
  check(conversation: readonly Message[]): void;
}

export function createLoopGuard(): LoopGuard {
  let last = "";
  let repeats = 0;
  return {
    check: (conversation) => {
      const place = conversation.findLastIndex(({ role }) => role === "assistant");
      const answer = conversation[place];
      if (answer?.role !== "assistant" || answer.calls.length === 0) return;
      const results = conversation.slice(place + 1).flatMap((message) =>
        // Somebody who steers breaks the circle.
        message.role === "tool" ? [message.output] : [message.role],
      );
      const step = JSON.stringify([answer.calls.map(({ name, input }) => [name, input]), results]);
      repeats = step === last ? repeats + 1 : 1;
      last = step;
      if (repeats < mostRepeats) return;
      const names = [...new Set(answer.calls.map(({ name }) => name))].join(", ");
      const what = `${names}, with the same arguments and the same result`;
      throw new AgentFailure("loop", `the model did the same ${repeats} times in a row: ${what}`);
    },
  };
}
