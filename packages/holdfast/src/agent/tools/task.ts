import { z } from "zod";
import type { ChildOutcome } from "../agent.ts";
import { derivedId } from "./derived-id.ts";
import { completed, failed } from "./result.ts";
import type { Tool, ToolResult } from "./tool.ts";

const input = z.object({
  prompt: z
    .string()
    .min(1)
    .max(100_000)
    .describe("All that the child needs to know to do the work."),
  background: z
    .boolean()
    .optional()
    .describe("Go on without waiting; the result arrives later as a prompt of its own."),
});

type TaskInput = z.infer<typeof input>;

export const taskTool: Tool<TaskInput> = {
  name: "task",
  description:
    "Gives a piece of work to a child session in the same directory and returns its answer. The child " +
    "knows nothing of this conversation. Several tasks of one answer run side by side.",
  input,
  // The ids are derived: a resumed run finds the child that it started (C7).
  repeatable: true,
  parallel: true,
  permission: ({ prompt }) => ({ action: "send", subject: "task", preview: prompt }),
  run: async ({ prompt, background = false }, context) => {
    const sessionId = derivedId("task", context);
    const child = {
      sessionId,
      promptId: derivedId("prompt", context),
      text: prompt,
      callId: context.callId,
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
