import type { Delivery, Prompt, SessionHandle } from "@holdfast/sdk";
import { promptOptions } from "@holdfast/model/prompt-options.ts";

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
  const sent = await handle.prompt(textOf(prompt), {
    delivery,
    reply: prompt.reply,
    ...promptOptions(prompt),
  });
  return sent.promptId;
}

/** Returns the text to send. Empty for a slash command, because the server builds the text from the command. */
function textOf({ text, command }: Prompt): string {
  return command === undefined ? (text ?? "") : "";
}
