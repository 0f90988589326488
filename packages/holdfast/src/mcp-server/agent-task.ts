import { z } from "zod";
import { taskIdOf } from "./task.ts";
import type { TaskTarget } from "./task.ts";
import { defineTool } from "./tools.ts";
import type { SessionTool } from "./tools.ts";

/** Starts tasks for the hosted agent that uses the MCP server, as child sessions of its run. */
export interface TaskPort {
  agents(): readonly { readonly name: string; readonly description: string }[];
  /** Starts a task and waits for its outcome, at most `milliseconds`. */
  run(
    task: { readonly prompt: string; readonly agent?: string | undefined },
    wait: { readonly milliseconds: number; readonly signal: AbortSignal },
  ): Promise<TaskTarget & { readonly ended: EndedTask | null }>;
}

interface EndedTask {
  readonly outcome: { readonly status: string; readonly reason: string | null };
  readonly text: string | null;
}

/** Default number of seconds to wait for the result. Some clients give up after 30 seconds. */
const usualWait = 25;

const input = z.object({
  prompt: z
    .string()
    .min(1)
    .max(100_000)
    .describe("The task, with everything that the other agent needs to know."),
  agent: z.string().optional().describe("Name of the agent. Default: the same agent as this one."),
  wait: z
    .number()
    .min(1)
    .max(55)
    .optional()
    .describe(`Seconds to wait for the result. Default: ${usualWait}.`),
});

/** Creates the tool with which a hosted agent delegates work to another agent. */
export function agentTaskTool(tasks: TaskPort): SessionTool {
  const agents = tasks
    .agents()
    .map(({ name, description }) => `- ${name}: ${description}`.trimEnd());
  return defineTool({
    name: "task",
    title: "Give a task to an agent",
    description:
      "Gives a piece of work to a child session in the same directory and returns its answer. The child does not see " +
      "this conversation. If the work takes longer than `wait`, read the result later with get_prompt. " +
      `Example: {"agent": "codex", "prompt": "Review the last commit", "wait": 25}\nAvailable agents:\n${agents.join("\n")}`,
    input,
    readOnly: false,
    run: async (_, { prompt, agent, wait = usualWait }, signal) => {
      const { ended, ...target } = await tasks.run(
        { prompt, agent },
        { milliseconds: wait * 1_000, signal },
      );
      const { sessionId, promptId } = target;
      const { status, reason } = ended?.outcome ?? { status: "running", reason: null };
      const later = `The task is still running. Call get_prompt with sessionId ${sessionId} and promptId ${promptId}.`;
      const text = ended === null ? later : (ended.text ?? reason ?? status);
      return {
        content: [{ type: "text", text }],
        structuredContent: { ...target, taskId: taskIdOf(target), status, reason },
        isError: ended !== null && status !== "completed",
      };
    },
  });
}
