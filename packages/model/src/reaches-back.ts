import type { SessionDetail } from "@holdfast/sdk";
import type { Conversation } from "./conversation.ts";

/** Whether the loaded part of a log contains, for every unsettled prompt, the event that accepted the prompt. */
export function reachesBack(
  { prompts }: Conversation,
  { active, queue }: Pick<SessionDetail, "active" | "queue">,
): boolean {
  const running = active?.kind === "run" ? active.prompts : [];
  const waiting = queue.flatMap((item) => (item.kind === "prompt" ? [item.promptId] : []));
  return [...running, ...waiting].every((promptId) => {
    const prompt = prompts.get(promptId);
    return prompt !== undefined && prompt.acceptSeq !== null;
  });
}
