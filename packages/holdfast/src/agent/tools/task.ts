import { z } from "zod";
import type { ChildOutcome } from "../agent.ts";
import type { ReasoningWish } from "../model/reasoning.ts";
import { derivedId } from "./derived-id.ts";
import { completed, failed } from "./result.ts";
import type { Tool, ToolResult } from "./tool.ts";

/** An agent to which a task can be delegated. */
export interface TaskAgent {
  readonly name: string;
  readonly description: string;
  /** Model as `provider/model`. Null: the default model. */
  readonly model: string | null;
  readonly wish?: ReasoningWish;
  /** True for a hosted agent, which has its own models. */
  readonly hosted?: true;
}

/** Maximum nesting of tasks, so that models cannot delegate work forever. */
export const maxDepth = 3;

const fields = {
  prompt: z
    .string()
    .min(1)
    .max(100_000)
    .describe("The task, with everything the child needs to know."),
  background: z
    .boolean()
    .optional()
    .describe("Continue without waiting. The result arrives later as a new prompt."),
};

const input = z.object({
  ...fields,
  agent: z.string().min(1).max(200).optional().describe("Name of the agent that does the task."),
});

type TaskInput = z.infer<typeof input>;

/** Creates the task tool. Its description lists the agents if there is more than one. */
export function createTaskTool(agents: readonly TaskAgent[] = [], usual?: string): Tool<TaskInput> {
  const others = agents.map(({ name, description }) => `- ${name}: ${description}`.trimEnd());
  const choice = agents.length < 2 ? "" : `\nAvailable agents:\n${others.join("\n")}`;
  return {
    name: "task",
    description:
      "Gives a piece of work to a child session in the same directory and returns its answer. The child " +
      "does not see this conversation. Several tasks in one answer run in parallel. Do not delegate the " +
      `whole request.${choice}`,
    input,
    example: {
      prompt:
        "List every place in src/ that reads process.env, as path:line with the variable's name.",
    },
    // If there is no choice of agents, the schema has no `agent` field.
    ...(agents.length < 2 ? { schema: z.toJSONSchema(z.object(fields)) } : {}),
    // The ids are derived from the call, so a resumed run finds its child session again (C7).
    repeatable: true,
    parallel: true,
    permission: ({ prompt }) => ({ action: "send", subject: "task", preview: prompt }),
    run: async ({ prompt, background = false, agent }, context) => {
      if ((context.agent.depth ?? 0) >= maxDepth) {
        return failed(
          `Tasks can be nested ${maxDepth} levels deep, and this session is at the limit. Do the work here.`,
        );
      }
      const chosen = agents.find(({ name }) => name === agent);
      if (agent !== undefined && chosen === undefined) {
        const known = agents.map(({ name }) => name).join(", ") || "none";
        return failed(`There is no agent ${agent}. Available agents: ${known}.`);
      }
      const doer = agents.find(({ name }) => name === (agent ?? usual));
      const isHosted = doer?.hosted === true;
      const sessionId = derivedId("task", context);
      const child = {
        sessionId,
        promptId: derivedId("prompt", context),
        text: prompt,
        callId: context.callId,
        ...(agent === undefined ? {} : { agent }),
        // The task uses the model and reasoning that the run's prompt selects, unless the task's agent has its own.
        ...(context.model === undefined || isHosted || typeof chosen?.model === "string"
          ? {}
          : { model: context.model }),
        ...(isHosted || Object.keys(chosen?.wish ?? {}).length > 0 ? {} : context.wish),
      };
      if (background) {
        await context.agent.background(child);
        return completed(`Started in session ${sessionId}. The result will arrive as a prompt.`, {
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
