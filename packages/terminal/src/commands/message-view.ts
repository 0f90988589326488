import type { SearchHit } from "@holdfast/sdk";
import { emptyConversation } from "@holdfast/model/conversation.ts";
import type { Conversation } from "@holdfast/model/conversation.ts";
import { entryIdOf } from "@holdfast/model/entry-at.ts";
import { originEntryId } from "@holdfast/model/origin-entry.ts";
import { takeEvent } from "@holdfast/model/take-event.ts";
import { learnPrompt, unknownPrompts } from "@holdfast/model/take-prompt.ts";
import { isEvent } from "@holdfast/sdk";
import type { Client } from "../client.ts";
import { addOrigin } from "../session/whole-conversation.ts";
import { createTranscript } from "../transcript/transcript.ts";

/** Number of events to read before and after the message that a search has found. */
const around = 200;

/** Opens the session of a message and shows the events around the message. */
export async function openMessage(client: Client, hit: SearchHit): Promise<void> {
  client.open(hit.sessionId);
  if (hit.kind === "title") return;
  try {
    const found = await readAround(client, hit);
    if (found === null) return client.say("The message is not part of the conversation yet");
    const { conversation, entryId } = found;
    const options = client.transcriptOptions(true);
    const place = conversation.places.get(entryId) ?? 0;
    const linesOf = (columns: number, entries: Conversation["entries"]): string[] =>
      createTranscript().next({ ...conversation, entries }, null, { ...options, columns });
    client.page({
      title: hit.title ?? "Session",
      isAtEnd: false,
      top: (columns) => linesOf(columns, conversation.entries.slice(0, place)).length,
      lines: (columns) => linesOf(columns, conversation.entries),
    });
  } catch (error) {
    client.fail(error);
  }
}

async function readAround(
  { holdfast }: Client,
  hit: SearchHit,
): Promise<{ conversation: Conversation; entryId: string } | null> {
  if (holdfast === null) return null;
  const { seq } = hit;
  const handle = holdfast.session(hit.sessionId);
  const conversation = emptyConversation();
  let found = null;
  let originEntry = null;
  const after = Math.max(0, seq - around);
  for await (const item of handle.events({ after, follow: false, deltas: false })) {
    if (!isEvent(item)) continue;
    if (item.seq === seq && item.type === "session.created" && item.origin !== null) {
      await addOrigin(conversation, { handle });
      originEntry = originEntryId(conversation.entries, hit) ?? conversation.entries[0]?.id ?? null;
    }
    takeEvent(conversation, item);
    if (item.seq === seq) found = item;
    if (item.seq >= seq + around) break;
  }
  for (const promptId of unknownPrompts(conversation)) {
    learnPrompt(conversation, await handle.promptById(promptId).get());
  }
  const entryId = originEntry ?? (found === null ? null : entryIdOf(conversation, found));
  return entryId === null ? null : { conversation, entryId };
}
