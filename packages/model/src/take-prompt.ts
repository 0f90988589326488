import type { Prompt, WireEvent } from "@holdfast/sdk";
import { promptEntryId, putEntry, removeEntry } from "./conversation.ts";
import type { Conversation, PromptView } from "./conversation.ts";

type Accepted = Extract<WireEvent, { type: "prompt.accepted" }>;

export function acceptPrompt(conversation: Conversation, event: Accepted): void {
  const { promptId, content, resultOf } = event;
  conversation.prompts.set(promptId, {
    ...unknownPrompt(promptId, event.at),
    acceptSeq: event.seq,
    text: content?.text ?? null,
    cutAt: event.truncated ? event.seq : null,
    attachments: content?.attachments ?? [],
    agent: content?.agent ?? null,
    model: content?.model ?? null,
    command: content?.command?.name ?? null,
    delivery: event.delivery,
    actor: event.actor,
    reply: event.reply,
    steers: event.binding?.runId ?? null,
    resultOf: resultOf && { sessionId: resultOf.sessionId, outcome: resultOf.outcome },
  });
}

/** Updates a prompt and the entry that shows it. */
export function changePrompt(
  conversation: Conversation,
  promptId: string,
  change: Partial<PromptView>,
): void {
  const before = conversation.prompts.get(promptId) ?? unknownPrompt(promptId, 0);
  const prompt = { ...before, ...change };
  conversation.prompts.set(promptId, prompt);
  const id = promptEntryId(promptId);
  if (conversation.places.has(id)) putEntry(conversation, { kind: "prompt", id, prompt });
}

/** Marks a prompt as seen by the model: a run started with it, or it joined a run. */
export function enterPrompt(
  conversation: Conversation,
  event: { promptId: string; at: number },
  into: { runId: string | null; isTakenIn: boolean },
): void {
  changePrompt(conversation, event.promptId, { ...into, enteredAt: event.at, steers: null });
  const prompt = conversation.prompts.get(event.promptId);
  if (prompt === undefined) return;
  putEntry(conversation, { kind: "prompt", id: promptEntryId(event.promptId), prompt });
}

/**
 * Puts a prompt back into the queue. The prompt had joined a run that was then cancelled, but the prompt itself was not
 * cancelled.
 */
export function returnPrompt(conversation: Conversation, promptId: string): void {
  changePrompt(conversation, promptId, { runId: null, isTakenIn: false, enteredAt: null });
  removeEntry(conversation, promptEntryId(promptId));
}

/** Adds the details of a prompt that was accepted before the loaded part of the log. */
export function learnPrompt(conversation: Conversation, prompt: Prompt): void {
  const known = conversation.prompts.get(prompt.promptId);
  if (known !== undefined && known.text !== null) return;
  const { acceptSeq, acceptedAt, text, attachments, delivery, actor, reply, revision } = prompt;
  const { resultOf } = prompt;
  changePrompt(conversation, prompt.promptId, {
    acceptSeq,
    acceptedAt,
    text: text ?? "",
    attachments,
    agent: prompt.agent ?? null,
    model: prompt.model ?? null,
    command: prompt.command?.name ?? null,
    delivery,
    actor,
    reply,
    revision,
    resultOf: resultOf && { sessionId: resultOf.sessionId, outcome: resultOf.outcome },
  });
}

/** Ids of all prompts whose text is not loaded. */
export function promptsWithoutText({ prompts }: Conversation): readonly string[] {
  return [...prompts.values()].filter(({ text }) => text === null).map(({ promptId }) => promptId);
}

/** Ids of prompts that are shown or queued, but whose text is not loaded. */
export function unknownPrompts(conversation: Conversation): readonly string[] {
  return [...conversation.prompts.values()]
    .filter(({ text, promptId }) => text === null && isShown(conversation, promptId))
    .map(({ promptId }) => promptId);
}

function isShown(conversation: Conversation, promptId: string): boolean {
  return conversation.places.has(promptEntryId(promptId));
}

function unknownPrompt(promptId: string, acceptedAt: number): PromptView {
  return {
    promptId,
    acceptSeq: null,
    acceptedAt,
    text: null,
    cutAt: null,
    attachments: [],
    agent: null,
    model: null,
    command: null,
    delivery: "queue",
    actor: null,
    reply: true,
    revision: 1,
    steers: null,
    resultOf: null,
    runId: null,
    isTakenIn: false,
    enteredAt: null,
    outcome: null,
    settledAt: null,
    settleSeq: null,
  };
}
