import type { Agent } from "../../packages/holdfast/src/agent/agent.ts";

/** An agent that makes as many steps as the prompt says. Each step has a tool call, so that the log grows fast. */
export const streamingAgent: Agent = {
  name: "streaming",
  async *run(context) {
    const steps = Number(context.prompts[0]?.text ?? "1");
    for (let step = 0; step < steps; step += 1) {
      await context.boundary();
      const callId = `call-${step}`;
      const call = { callId, name: "look", input: { step }, repeatable: true };
      yield { type: "answer", text: words, calls: [call] };
      yield { type: "toolEnd", callId, status: "completed", output: words };
    }
    await context.boundary();
    yield { type: "answer", text: "done" };
  },
};

const words = "an answer of some length, as models give it ".repeat(6);
