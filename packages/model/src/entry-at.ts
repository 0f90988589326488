import type { WireEvent } from "@holdfast/sdk";
import { promptEntryId, stepId } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";

/** Returns the id of the entry that shows the text of an event; null if no entry shows it. */
export function entryIdOf(conversation: Conversation, event: WireEvent): string | null {
  const id = ownEntryId(conversation, event);
  return id !== null && conversation.places.has(id) ? id : null;
}

function ownEntryId(conversation: Conversation, event: WireEvent): string | null {
  if (event.type === "step.answered") return stepId(event.runId, event.step);
  if ("callId" in event && event.callId !== null) {
    return conversation.calls.get(event.callId) ?? null;
  }
  if ("promptId" in event && event.promptId !== null) return promptEntryId(event.promptId);
  return null;
}
