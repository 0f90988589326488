import type { Agent } from "../../packages/holdfast/src/agent/agent.ts";

/**
 * Prompts with this text make the agent read the whole conversation before it answers, as a real agent does.
 */
export const readingText = "read everything, then answer";

/** An agent that answers immediately, in one step, so that its own time is not measured. */
export const instantAgent: Agent = {
  name: "instant",
  async *run(context) {
    await context.boundary();
    const reads = context.prompts.some(({ text }) => text === readingText);
    if (reads) await context.conversation();
    yield { type: "answer", text: "done" };
  },
};
