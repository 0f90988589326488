import type { Prompt } from "@holdfast/sdk";
import { queueId } from "@holdfast/model/queue.ts";
import { t } from "../i18n/text.ts";
import { holdfast } from "./client.ts";
import { sendPrompt } from "./outbox.ts";
import { ownFetch } from "./own-fetch.ts";

/** Sends cancelled prompts again, in their original order and before the prompts that wait now. */
export async function sendPromptsAgain(
  sessionId: string,
  promptIds: readonly string[],
): Promise<void> {
  const session = holdfast.session(sessionId);
  const { queue } = await session.get();
  const first = queue.find(({ kind }) => kind === "prompt");
  for (const promptId of promptIds) {
    const sent = await sendAgain(sessionId, promptId);
    if (sent === null || first === undefined) continue;
    // Ignore the error: if the prompt, or the first prompt of the queue, has started, the order can no longer be
    // changed.
    await session
      .promptById(sent)
      .move(queueId(first))
      .catch(() => {});
  }
}

/** Sends a finished prompt again: the same text, files, agent and model. Returns the id of the new prompt. */
export async function sendAgain(sessionId: string, promptId: string): Promise<string | null> {
  const prompt = await holdfast.session(sessionId).promptById(promptId).get();
  const attachments: string[] = [];
  for (const file of prompt.attachments) {
    const { hash } = await uploadAgain(prompt, file);
    attachments.push(hash);
  }
  const { agent, model, effort, thinking, command } = prompt;
  return sendPrompt({
    sessionId,
    text: prompt.text ?? "",
    delivery: "queue",
    attachments,
    options: {
      ...(agent === undefined ? {} : { agent }),
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
      ...(thinking === undefined ? {} : { thinking }),
      ...(command === undefined
        ? {}
        : { command: { name: command.name, arguments: command.arguments } }),
    },
  });
}

/** Uploads a file of an earlier prompt again, because the server deletes an upload after its prompt was accepted. */
async function uploadAgain(
  prompt: Prompt,
  { hash, name, mediaType }: Prompt["attachments"][number],
) {
  const { sessionId, promptId } = prompt;
  const segments = [sessionId, "prompts", promptId, "attachments", hash].map(encodeURIComponent);
  const answer = await ownFetch(`/v1/sessions/${segments.join("/")}`);
  if (!answer.ok) throw new Error(t().errors.gone);
  const content = await answer.blob();
  return holdfast.attachments.upload({ content, mediaType, name: name ?? undefined });
}
