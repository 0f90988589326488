import { z } from "zod";
import type { ChildOutcome } from "../agent.ts";
import { derivedId } from "./derived-id.ts";
import { completed, failed } from "./result.ts";
import type { Tool, ToolResult } from "./tool.ts";

/** Who can be given a piece of work, and for what. */
export interface TaskAgent {
  readonly name: string;
  readonly description: string;
  /** Null for whatever is usual. */
  readonly model: string | null;
}

/** A model that hands its work on instead of doing it would have it handed on for ever. */
const maxDepth = 3;

const fields = {
  prompt: z
    .string()
    .min(1)
    .max(100_000)
    .describe("All that the child needs to know to do the work."),
  background: z
    .boolean()
    .optional()
    .describe("Go on without waiting; the result arrives later as a prompt of its own."),
};

const input = z.object({
  ...fields,
  agent: z.string().min(1).max(200).optional().describe("The agent that does it, by its name."),
});

type TaskInput = z.infer<typeof input>;

/** With more than one agent to choose from, the model is told of them. */
export function createTaskTool(agents: readonly TaskAgent[] = []): Tool<TaskInput> {
  const others = agents.map(({ name, description }) => `- ${name}: ${description}`.trimEnd());
  const choice = agents.length < 2 ? "" : `\nThe agents that there are:\n${others.join("\n")}`;
  return {
    name: "task",
    description:
      "Gives a piece of work to a child session in the same directory and returns its answer. The child " +
      "knows nothing of this conversation. Several tasks of one answer run side by side. Not for handing " +
      `on the whole of what you were asked.${choice}`,
    input,
    // Whom nobody can be chosen from, the model is not asked.
    ...(agents.length < 2 ? { schema: z.toJSONSchema(z.object(fields)) } : {}),
    // The ids are derived: a resumed run finds the child that it started (C7).
    repeatable: true,
    parallel: true,
    permission: ({ prompt }) => ({ action: "send", subject: "task", preview: prompt }),
    run: async ({ prompt, background = false, agent }, context) => {
      if ((context.agent.depth ?? 0) >= maxDepth) {
        return failed(`tasks may be ${maxDepth} deep, and this is one of the deepest: do it here`);
      }
      const chosen = agents.find(({ name }) => name === agent);
      if (agent !== undefined && chosen === undefined) {
        const known = agents.map(({ name }) => name).join(", ") || "none to choose from";
        return failed(`there is no agent ${agent}; there are: ${known}`);
      }
      const sessionId = derivedId("task", context);
      const child = {
        sessionId,
        promptId: derivedId("prompt", context),
        text: prompt,
        callId: context.callId,
        ...(agent === undefined ? {} : { agent }),
        // A model that was named for the work is that of its parts, unless their agent has its own.
        ...(context.model === undefined || typeof chosen?.model === "string"
          ? {}
          : { model: context.model }),
      };
      if (background) {
        await context.agent.background(child);
        return completed(`Started in session ${sessionId}; its result will arrive as a prompt.`, {
          childSessionId: sessionId,
        });
      }
      return childResult(await context.agent.child(child), sessionId);
    },
  };
}

function childResult({ outcome, text }: ChildOutcome, childSessionId: string): ToolResult {
  const extra = { childSessionId };
  switch (outcome.status) {
    case "completed":
      return completed(text ?? "(the child gave no answer)", extra);
    case "failed":
    case "cancelled": {
      const words = text === null ? "" : `\n${text}`;
      return failed(`the task was ${outcome.status}: ${outcome.reason}${words}`, extra);
    }
  }
}
