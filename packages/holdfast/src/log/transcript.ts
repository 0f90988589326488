import { setImmediate as nextRound } from "node:timers/promises";
import type {
  IntentBody,
  Message,
  TranscriptBody,
  TranscriptMessage,
  TranscriptPage,
} from "../agent/message.ts";
import type { EventOf, LaneEvent } from "../kernel/event.ts";
import { changedRow, ledgerChange } from "../kernel/ledger.ts";
import type { LedgerRow } from "../kernel/ledger.ts";
import type { StoreReader } from "../store/store.ts";
import { assistantMessage, toolMessage, userMessage } from "./event-message.ts";
import { logOf } from "./session-log.ts";
import { readBody } from "./bodies.ts";
import type { BodyReader } from "./bodies.ts";

// The transcript: a session's messages as people see them, in the order in which they joined the conversation. A prompt
// that ended before any run used it appears at the point where it ended.

/** Event types that create messages. */
export const messageTypes = [
  "run.started",
  "prompt.takenIn",
  "prompt.settled",
  "step.answered",
  "tool.ended",
] as const;

/** Data sources for the parts of a message that its event does not contain. */
export interface MessageSources {
  readonly bodies: BodyReader;
  readonly prompt: (promptId: string) => Promise<LedgerRow | null>;
  /** Returns the hash of the stored description of the action that a call planned. */
  readonly intent: (callId: string) => Promise<string | null>;
}

/**
 * Returns true for the first message to leave out. `seq` is the sequence number of the event that added the message.
 */
export type IsEnd = (message: TranscriptMessage, seq: number) => boolean;

/** Yields a session's messages up to the event `upTo` of its log, inherited messages first. */
export function readTranscript(
  store: StoreReader,
  target: { sessionId: string; upTo: number; isEnd: IsEnd },
): AsyncGenerator<TranscriptMessage> {
  const log = async function* log(): AsyncGenerator<LaneEvent> {
    let read = 0;
    for await (const event of logOf(store, target.sessionId)) {
      if (event.seq > target.upTo) return;
      yield event;
      read += 1;
      if (read % 100 === 0) await nextRound();
    }
  };
  return transcriptOf(store, { log, isEnd: target.isEnd });
}

/**
 * Yields the messages of a log up to its end, or up to the message for which `isEnd` is true. Reads the log twice,
 * first to collect references. Calls that are open at the end get the result `interrupted` (T1).
 */
export async function* transcriptOf(
  bodies: BodyReader,
  source: {
    readonly log: () => AsyncIterable<LaneEvent> | Iterable<LaneEvent>;
    readonly isEnd: IsEnd;
  },
): AsyncGenerator<TranscriptMessage> {
  const { log, isEnd } = source;
  const rows = new Map<string, LedgerRow>();
  const intents = new Map<string, string | null>();
  for await (const event of log()) {
    const change = ledgerChange(event);
    const row = change === null ? null : changedRow(rows.get(change.id) ?? null, change);
    if (row !== null) rows.set(row.promptId, row);
    if (event.type === "tool.started") intents.set(event.callId, event.body);
  }
  const sources: MessageSources = {
    bodies,
    prompt: async (promptId) => rows.get(promptId) ?? null,
    intent: async (callId) => intents.get(callId) ?? null,
  };
  const calls: { readonly callId: string; readonly at: number }[] = [];
  const ended = new Set<string>();
  const counted = (message: TranscriptMessage): TranscriptMessage => {
    const { at } = message;
    if (message.role === "tool") ended.add(message.callId);
    if (message.role === "assistant")
      for (const { callId } of message.calls) calls.push({ callId, at });
    return message;
  };
  for await (const { message, seq } of placedMessages(sources, log())) {
    if (isEnd(message, seq)) break;
    yield counted(message);
  }
  for (const { callId, at } of calls) if (!ended.has(callId)) yield interruptedCall(callId, at);
}

/** Yields the messages of a log, inherited ones first, each with the sequence number of the event that added it. */
async function* placedMessages(
  sources: MessageSources,
  log: AsyncIterable<LaneEvent> | Iterable<LaneEvent>,
): AsyncGenerator<{ readonly message: TranscriptMessage; readonly seq: number }> {
  for await (const event of log) {
    const { seq } = event;
    if (event.type === "session.created") {
      for await (const { message } of inheritedFrom(sources.bodies, event, 0))
        yield { message, seq };
    }
    const message = await transcriptMessage(sources, event);
    if (message !== null) yield { message, seq };
  }
}

/** Returns the messages that a session inherited when it was created. */
export async function inherited(
  bodies: BodyReader,
  created: EventOf<"session.created">,
): Promise<readonly TranscriptMessage[]> {
  const found: TranscriptMessage[] = [];
  for await (const { message } of inheritedFrom(bodies, created, 0)) found.push(message);
  return found;
}

/** Yields the messages that a session inherited, starting at position `first`. Earlier pages are not read. */
export async function* inheritedFrom(
  bodies: BodyReader,
  created: EventOf<"session.created">,
  first: number,
): AsyncGenerator<{ readonly message: TranscriptMessage; readonly index: number }> {
  const body = await readBody<TranscriptBody>(bodies, created.origin?.transcript ?? null);
  if (body === null) return;
  const pages = "messages" in body ? [{ ...body, count: body.messages.length }] : body.pages;
  let start = 0;
  for (const page of pages) {
    const isWanted = start + page.count > first;
    const messages = isWanted ? await messagesOf(bodies, page) : [];
    for (const [place, message] of messages.entries()) {
      const index = start + place;
      if (index >= first) yield { message, index };
    }
    start += page.count;
    if (isWanted) await nextRound();
  }
}

async function messagesOf(
  bodies: BodyReader,
  page: TranscriptPage | { readonly messages: readonly TranscriptMessage[] },
): Promise<readonly TranscriptMessage[]> {
  if ("messages" in page) return page.messages;
  const body = await readBody<TranscriptBody>(bodies, page.hash);
  return body !== null && "messages" in body ? body.messages : [];
}

/**
 * Returns the copied messages that the model may see, without prompts that ended before any run used them (C2). Answers
 * are marked as copied, because a hosted agent's session that an answer names belongs to the original (H3).
 */
export function conversationOf(transcript: readonly TranscriptMessage[]): Message[] {
  return transcript.flatMap((shown): Message[] => {
    const { at: _at, ...message } = shown;
    if (message.role === "assistant") return [{ ...message, copied: true }];
    if (message.role === "tool") {
      const { intent: _intent, ...result } = message;
      return [result];
    }
    const { entered, outcome: _outcome, ...prompt } = message;
    return entered ? [prompt] : [];
  });
}

/** True if an event can create a message. A `prompt.settled` event creates one only if no run used the prompt. */
export function canCreateMessage(event: LaneEvent): boolean {
  if (event.type !== "prompt.settled") return true;
  return event.outcome.runId === null && event.outcome.status !== "completed";
}

/** Returns the message that an event creates; null if it creates none. */
export async function transcriptMessage(
  sources: MessageSources,
  event: LaneEvent,
): Promise<TranscriptMessage | null> {
  const { bodies } = sources;
  const { at } = event;
  if (event.type === "run.started" || event.type === "prompt.takenIn") {
    const row = await sources.prompt(event.promptId);
    // A prompt that a run returned to the queue has several `prompt.takenIn` events. Use only the event of the run that
    // settled the prompt (C1).
    const isHere = row !== null && (event.runId === null || row.runId === event.runId);
    if (!isHere) return null;
    return { ...(await userMessage(bodies, row)), at, entered: true, outcome: row.outcome };
  }
  if (event.type === "prompt.settled") {
    const { outcome } = event;
    if (!canCreateMessage(event)) return null;
    const row = await sources.prompt(event.promptId);
    return row === null
      ? null
      : { ...(await userMessage(bodies, row)), at, entered: false, outcome };
  }
  if (event.type === "step.answered") return { ...(await assistantMessage(bodies, event)), at };
  if (event.type === "tool.ended") {
    const message = await toolMessage(bodies, event);
    const hash = event.status === "inDoubt" ? await sources.intent(event.callId) : null;
    const intent = await readBody<IntentBody>(bodies, hash);
    return { ...message, at, intent: intent?.summary ?? null };
  }
  return null;
}

/** Builds an `interrupted` result for a tool call without a result. */
function interruptedCall(callId: string, at: number): TranscriptMessage {
  const nothing = { status: "interrupted", output: "", extra: null, intent: null } as const;
  return { role: "tool", callId, ...nothing, at };
}
