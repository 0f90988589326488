import { isEvent } from "@holdfast/sdk";
import type { SessionHandle, WireEvent } from "@holdfast/sdk";
import { emptyConversation } from "@holdfast/model/conversation.ts";
import type { Conversation } from "@holdfast/model/conversation.ts";
import { messageEntries } from "@holdfast/model/message-entries.ts";
import { takeEvent } from "@holdfast/model/take-event.ts";

/** Reads all events of a session, and the whole texts that the event stream has cut. */
export async function wholeConversation(
  handle: SessionHandle,
  signal: AbortSignal,
): Promise<Conversation> {
  const conversation = emptyConversation();
  const options = { after: 0, follow: false, deltas: false, signal };
  for await (const item of handle.events(options)) {
    if (!isEvent(item)) continue;
    if (item.type === "session.created" && item.origin !== null)
      await addOrigin(conversation, { handle, signal });
    takeEvent(conversation, await wholeEvent(item, { handle, signal }));
  }
  return conversation;
}

interface Reading {
  readonly handle: SessionHandle;
  readonly signal: AbortSignal;
}

/** Reads the event again if the stream has cut it. Returns the cut event if this fails. */
export async function wholeEvent(
  event: WireEvent,
  { handle, signal }: Reading,
): Promise<WireEvent> {
  if (!("truncated" in event) || !event.truncated) return event;
  return handle.event(event.seq, { signal }).catch(() => event);
}

/** Adds the first messages of a fork or an import, which are not in the session's own log. */
export async function addOrigin(
  conversation: Conversation,
  { handle, signal }: Pick<Reading, "handle"> & Partial<Reading>,
): Promise<void> {
  const messages = [];
  for await (const message of handle.eachMessage({ signal, limit: 500 })) {
    if (message.seq !== null) break;
    messages.push(message);
  }
  for (const entry of messageEntries(messages)) {
    conversation.places.set(entry.id, conversation.entries.length);
    conversation.entries.push(entry);
  }
}
