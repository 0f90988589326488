import type { Agent } from "../../packages/holdfast/src/agent/agent.ts";

/**
 * Prompts with this text make the agent read the whole conversation first, as a real agent does.
 */
export const readingText = "read everything, then answer";

/** Answers at once in one step, so that the agent itself is not measured. */
export const instantAgent: Agent = {
  name: "instant",
  async *run(context) {
    await context.boundary();
    const reads = context.prompts.some(({ text }) => text === readingText);
    if (reads) await context.conversation();
    yield { type: "answer", text: "done" };
  },
};
