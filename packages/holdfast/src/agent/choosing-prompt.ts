import type { AgentContext } from "./agent.ts";
import { asksToCompact } from "./compact-command.ts";
import type { UserMessage } from "./message.ts";

/**
 * Returns the prompt that selects the agent and model of a run: normally the prompt that started the run. The result of
 * a child session, or a compaction request that names no agent or model, can start a run but selects nothing. For such
 * a run, returns the last earlier prompt that can select an agent and a model.
 */
export async function choosingPrompt({
  prompts: [prompt],
  conversation,
}: Pick<AgentContext, "prompts" | "conversation">): Promise<UserMessage | undefined> {
  if (prompt === undefined || mayChoose(prompt)) return prompt;
  const messages = await conversation();
  const place = messages.findIndex(
    (message) => message.role === "user" && message.promptId === prompt.promptId,
  );
  return messages
    .slice(0, Math.max(place, 0))
    .findLast((message): message is UserMessage => message.role === "user" && mayChoose(message));
}

/**
 * Returns the name of the run's agent: the agent that the prompt names, otherwise the agent of the session. Undefined:
 * the default agent of the directory.
 */
export function chosenAgent(
  { agent }: Pick<AgentContext, "agent">,
  prompt: Pick<UserMessage, "agent"> | undefined,
): string | undefined {
  return prompt?.agent ?? agent ?? undefined;
}

function mayChoose(prompt: UserMessage): boolean {
  const { agent, model, effort, thinking } = prompt;
  const isNamed = [agent, model, effort, thinking].some((field) => field !== undefined);
  return prompt.resultOf === null && (isNamed || !asksToCompact(prompt));
}
