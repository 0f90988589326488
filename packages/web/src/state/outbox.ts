import { HoldfastError } from "@holdfast/sdk";
import type { Delivery, PromptOptions } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { holdfast } from "./client.ts";
import { onFeed } from "./feed.ts";
import { showError } from "./show-error.ts";
import { readAllStored, writeStored } from "./storage.ts";

/** A prompt that was sent, but not heard to be accepted yet. */
export interface Outgoing {
  readonly sessionId: string;
  /** Made before the first sending: all sendings, also those after a reload, are one prompt (P3). */
  readonly promptId: string;
  readonly text: string;
  readonly delivery: Delivery;
  /** Hashes of what was uploaded. */
  readonly attachments: readonly string[];
  /** Who works on it and with what, or a command of the directory. */
  readonly options?: Pick<PromptOptions, "agent" | "model" | "command">;
}

const [outgoing, setOutgoing] = createSignal(readAllStored<Outgoing>("outbox."));
const sending = new Set<string>();

export function outboxOf(sessionId: string): readonly Outgoing[] {
  return outgoing().filter((prompt) => prompt.sessionId === sessionId);
}

/** Sends until the server has it or says no. Answers whether it was accepted. */
export async function sendPrompt(prompt: Omit<Outgoing, "promptId">): Promise<boolean> {
  const kept = { ...prompt, promptId: newPromptId() };
  // Each under a name of its own: two tabs of a browser do not write over one another.
  writeStored(`outbox.${kept.promptId}`, kept);
  setOutgoing((before) => [...before, kept]);
  return deliver(kept);
}

/** Takes up what a page before this one could not hand over. */
function sendAgain(): void {
  for (const prompt of outgoing()) void deliver(prompt);
}

async function deliver(prompt: Outgoing): Promise<boolean> {
  const { sessionId, promptId, text, delivery, attachments, options } = prompt;
  if (sending.has(promptId)) return false;
  sending.add(promptId);
  try {
    const input = { ...options, promptId, delivery, attachments };
    // The server puts in what a command stands for; the words here are only shown.
    const words = options?.command === undefined ? text : "";
    await holdfast.session(sessionId).prompt(words, input);
    forget(promptId);
    return true;
  } catch (error) {
    // Without an answer it stays here, and is sent again when the server is back.
    if (error instanceof HoldfastError && error.retryable) return true;
    forget(promptId);
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

/** Not `randomUUID`: a page that came over plain http from another machine has none. */
function newPromptId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `prompt-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

onFeed((item) => {
  if (item.type === "live") sendAgain();
});
