import type { Message, UserMessage } from "../agent/message.ts";
import { keepLast } from "../base/bounded-map.ts";
import { createMutex } from "../base/serial.ts";
import type { Mutex } from "../base/serial.ts";
import type { Clock } from "../base/time.ts";
import type { LaneEvent } from "../kernel/event.ts";
import type { StoreReader } from "../store/store.ts";
import { assistantMessage, toolMessage, userMessage } from "./event-message.ts";
import { persist } from "../store/persist.ts";
import { conversationOf, inherited } from "./transcript.ts";

/** Caches conversations by session between runs, so that a long history is read once. */
export interface Conversations {
  /** Returns all messages up to the end of the log. */
  read(sessionId: string): Promise<readonly Message[]>;
}

/** Number of conversations to cache. */
const kept = 64;

export function createConversations(store: StoreReader, clock: Clock): Conversations {
  const bySession = new Map<string, { conversation: Conversation; oneAtATime: Mutex }>();
  return {
    read: (sessionId) => {
      const found = bySession.get(sessionId);
      const entry = found ?? { conversation: emptyConversation(), oneAtATime: createMutex() };
      keepLast(bySession, { key: sessionId, value: entry }, kept);
      // One reader at a time, because two readers would add the same messages twice.
      return entry.oneAtATime(async () => {
        await persist(() => readOn(store, sessionId, entry.conversation), clock);
        return [...entry.conversation.messages];
      });
    },
  };
}

/** A session's conversation up to a position in its log, extended as the log grows. */
interface Conversation {
  seq: number;
  readonly messages: Message[];
  /** Prompts without an outcome, by id. The model does not see a prompt before the prompt joins a run (C2). */
  readonly unsettled: Map<string, UserMessage>;
}

const pageSize = 500;

function emptyConversation(): Conversation {
  return { seq: 0, messages: [], unsettled: new Map() };
}

/**
 * Reads the log from the last position to its end, and adds the messages to the conversation. Tool calls and their
 * results stay paired (T1).
 */
async function readOn(
  store: StoreReader,
  sessionId: string,
  conversation: Conversation,
): Promise<void> {
  for (;;) {
    const events = await store.events(sessionId, { after: conversation.seq, limit: pageSize });
    // Content is read in parallel; messages are added in log order.
    const messages = await Promise.all(events.map((event) => messageOf(store, event)));
    for (const [index, event] of events.entries()) {
      if (event.type === "session.created") {
        conversation.messages.push(...conversationOf(await inherited(store, event)));
      }
      extend(conversation, event, messages[index] ?? null);
      conversation.seq = event.seq;
    }
    if (events.length < pageSize) return;
  }
}

function extend(conversation: Conversation, event: LaneEvent, message: Message | null): void {
  const { messages, unsettled } = conversation;
  if (message?.role === "user") {
    unsettled.set(message.promptId, { ...message, ...originOf(conversation, message.promptId) });
    return;
  }
  if (message !== null) messages.push(message);
  if (event.type === "run.started" || event.type === "prompt.takenIn") {
    const entering = unsettled.get(event.promptId);
    if (entering !== undefined) messages.push(entering);
  }
  // The prompt went back to the queue. Remove its message, because a later run will add it again.
  if (event.type === "prompt.returned") {
    const place = messages.findLastIndex(
      (candidate) => candidate.role === "user" && candidate.promptId === event.promptId,
    );
    if (place !== -1) messages.splice(place, 1);
  }
  if (event.type === "prompt.settled") unsettled.delete(event.promptId);
}

/** Returns the sender fields of a prompt, which stay the same when its text is edited. */
function originOf(
  conversation: Conversation,
  promptId: string,
): Pick<UserMessage, "actor" | "reply" | "resultOf"> | null {
  const known = conversation.unsettled.get(promptId);
  if (known === undefined) return null;
  return { actor: known.actor, reply: known.reply, resultOf: known.resultOf };
}

async function messageOf(store: StoreReader, event: LaneEvent): Promise<Message | null> {
  if (event.type === "prompt.accepted") return userMessage(store, event);
  if (event.type === "prompt.edited") {
    return userMessage(store, { ...event, reply: true, resultOf: null });
  }
  if (event.type === "step.answered") return assistantMessage(store, event);
  return event.type === "tool.ended" ? toolMessage(store, event) : null;
}
