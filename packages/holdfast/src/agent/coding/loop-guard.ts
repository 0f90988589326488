import { AgentFailure } from "../agent.ts";
import type { Message } from "../message.ts";

/** Number of identical consecutive steps that counts as a loop. */
const mostRepeats = 8;

/** Fails a run whose model repeats the same calls with the same results. */
export interface LoopGuard {
  /** Call before each step, with the whole conversation. */
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
        // Any other message is a prompt that the user sent during the run. Its role makes this step differ from the
        // step before, so that the two steps do not count as a repetition.
        message.role === "tool" ? [message.output] : [message.role],
      );
      const step = JSON.stringify([answer.calls.map(({ name, input }) => [name, input]), results]);
      repeats = step === last ? repeats + 1 : 1;
      last = step;
      if (repeats < mostRepeats) return;
      const names = [...new Set(answer.calls.map(({ name }) => name))].join(", ");
      throw new AgentFailure(
        "loop",
        `The model called ${names} ${repeats} times in a row with the same arguments and result. Send a prompt that says what to do instead.`,
      );
    },
  };
}
