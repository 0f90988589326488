import { HoldfastError } from "@holdfast/sdk";
import type { Delivery, PromptOptions } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { holdfast } from "./client.ts";
import { addToDraft } from "./drafts.ts";
import { isSignedOut, onFeed } from "./feed.ts";
import { newId } from "./new-id.ts";
import { showError } from "./show-error.ts";
import { readAllStored, writeStored } from "./storage.ts";

/** A prompt that was sent, but whose accept is not confirmed yet. */
export interface Outgoing {
  readonly sessionId: string;
  /**
   * Id of the prompt, created before the first attempt. All attempts, even after a reload, count as one prompt (P3).
   */
  readonly promptId: string;
  readonly text: string;
  readonly delivery: Delivery;
  /** Hashes of uploaded files. */
  readonly attachments: readonly string[];
  /** Agent, model, reasoning and command to use. */
  readonly options?: Pick<PromptOptions, "agent" | "model" | "effort" | "thinking" | "command">;
}

const [outgoing, setOutgoing] = createSignal(readAllStored<Outgoing>("outbox."));
const sending = new Set<string>();

export function outboxOf(sessionId: string): readonly Outgoing[] {
  return outgoing().filter((prompt) => prompt.sessionId === sessionId);
}

/**
 * Sends a prompt until the server accepts or refuses it. Returns its id, or null if the first attempt was refused: then
 * the caller restores its text. If a later attempt is refused, the text is added to the draft of the session.
 */
export async function sendPrompt(prompt: Omit<Outgoing, "promptId">): Promise<string | null> {
  const kept = { ...prompt, promptId: newId("prompt") };
  // One storage key for each prompt, so that two tabs do not overwrite each other.
  writeStored(`outbox.${kept.promptId}`, kept);
  setOutgoing((before) => [...before, kept]);
  return (await deliver(kept, { isFirst: true })) ? kept.promptId : null;
}

/** Sends prompts again that could not be delivered before the page was reloaded. */
function sendAgain(): void {
  for (const prompt of outgoing()) void deliver(prompt);
}

/** Milliseconds until a prompt is sent again if the server gave no answer although the connection works. */
const sendAgainAfter = 5_000;

async function deliver(prompt: Outgoing, { isFirst = false } = {}): Promise<boolean> {
  const { sessionId, promptId, text, delivery, attachments, options } = prompt;
  if (sending.has(promptId) || !outgoing().includes(prompt)) return false;
  sending.add(promptId);
  try {
    const input = { ...options, promptId, delivery, attachments };
    // For a command, send no text: the server creates the text from the command. `text` is what the page shows.
    const words = options?.command === undefined ? text : "";
    await holdfast.session(sessionId).prompt(words, input);
    forget(promptId);
    return true;
  } catch (error) {
    // Without a response, keep the prompt and send it again later, or at once when the server is back.
    if (error instanceof HoldfastError && error.retryable) {
      setTimeout(() => void deliver(prompt), sendAgainAfter);
      return true;
    }
    // After the next sign-in, the prompt is sent again.
    const isKept = !isFirst && isSignedOut(error);
    if (!isKept) forget(promptId);
    if (!isFirst && !isKept) addToDraft(sessionId, text);
    showError(error);
    return false;
  } finally {
    sending.delete(promptId);
  }
}

function forget(promptId: string): void {
  writeStored(`outbox.${promptId}`, null);
  setOutgoing((before) => before.filter((prompt) => prompt.promptId !== promptId));
}

onFeed((item) => {
  if (item.type === "live") sendAgain();
});
