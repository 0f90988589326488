import type { Delivery, Prompt, SessionHandle } from "@holdfast/sdk";

/**
 * Sends a prompt again with its whole text, command, agent, model and other choices. Returns null if the prompt has
 * attachments: a client cannot use the upload of another prompt.
 */
export async function sendAgain(
  handle: SessionHandle,
  { promptId, delivery }: { promptId: string; delivery: Delivery },
): Promise<string | null> {
  const prompt = await handle.promptById(promptId).get();
  if (prompt.attachments.length > 0) return null;
  const { agent, agentMode, model, effort, thinking, command, reply } = prompt;
  const sent = await handle.prompt(textOf(prompt), {
    delivery,
    reply,
    agent,
    agentMode,
    model,
    effort,
    thinking,
    ...(command === undefined
      ? {}
      : { command: { name: command.name, arguments: command.arguments } }),
  });
  return sent.promptId;
}

/** Returns the text to send. Empty for a slash command, because the server builds the text from the command. */
function textOf({ text, command }: Prompt): string {
  return command === undefined ? (text ?? "") : "";
}
