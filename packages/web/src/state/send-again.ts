import type { Prompt } from "@holdfast/sdk";
import { promptOptions, typedText } from "@holdfast/model/prompt-options.ts";
import { queueId } from "@holdfast/model/queue.ts";
import { t } from "../i18n/text.ts";
import { holdfast } from "./client.ts";
import { addToComposer } from "./composer-text.ts";
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
    const content = await readFile(prompt, file);
    const { mediaType, name } = file;
    // Upload the file again, because the server deletes an upload after its prompt was accepted.
    const upload = { content, mediaType, name: name ?? undefined };
    attachments.push((await holdfast.attachments.upload(upload)).hash);
  }
  return sendPrompt({
    sessionId,
    text: prompt.text ?? "",
    delivery: "queue",
    attachments,
    options: promptOptions(prompt),
  });
}

/** Adds a finished prompt to the draft in the composer: its text or command, files, model, effort and mode. */
export async function editAgain(sessionId: string, promptId: string): Promise<void> {
  const prompt = await holdfast.session(sessionId).promptById(promptId).get();
  const files = await Promise.all(
    prompt.attachments.map(async (file) => {
      const content = await readFile(prompt, file);
      const name = file.name ?? file.mediaType.replace("/", ".");
      return new File([content], name, { type: file.mediaType });
    }),
  );
  addToComposer(sessionId, { text: typedText(prompt), files, options: promptOptions(prompt) });
}

/** Loads a file of an earlier prompt. */
async function readFile(
  { sessionId, promptId }: Prompt,
  { hash }: Prompt["attachments"][number],
): Promise<Blob> {
  const segments = [sessionId, "prompts", promptId, "attachments", hash].map(encodeURIComponent);
  const answer = await ownFetch(`/v1/sessions/${segments.join("/")}`);
  if (!answer.ok) throw new Error(t().errors.gone);
  return answer.blob();
}
