import type { EventOf } from "../../kernel/event.ts";
import { setImmediate as nextRound } from "node:timers/promises";
import type { TranscriptMessage, UserMessage } from "../../agent/message.ts";
import { itemId } from "../../kernel/state.ts";
import type { StoreReader } from "../../store/store.ts";
import { CommandRefused } from "../../runner/command-refused.ts";
import { userMessage } from "../../log/event-message.ts";
import { openPage } from "./large-page.ts";
import type { Page } from "./large-page.ts";
import { logOf } from "../../log/session-log.ts";
import {
  inheritedFrom,
  canCreateMessage,
  messageTypes,
  transcriptMessage,
} from "../../log/transcript.ts";
import type { MessageSources } from "../../log/transcript.ts";

export interface MessageViews {
  /**
   * Returns a page of the session's visible messages, in order. In a fork or an import, the copied messages come first.
   * Null if the session does not exist.
   */
  messages(query: MessageQuery): Promise<MessagePage | null>;
}

export interface MessageQuery {
  readonly sessionId: string;
  /** Cursor of the previous page; null: from the beginning. */
  readonly after: string | null;
  readonly limit: number;
}

export interface MessagePage {
  readonly messages: readonly MessageView[];
  /** Prompts that still wait in the queue, in order. Empty on all pages except the last. */
  readonly waiting: readonly UserMessage[];
  /** Null on the last page. */
  readonly cursor: string | null;
}

/** `seq`: number of the event that created the message; null for a copied message. */
export type MessageView = TranscriptMessage & { readonly seq: number | null };

export function messageViews(store: StoreReader): MessageViews {
  return {
    messages: async ({ sessionId, after, limit }) => {
      const start = readCursor(after);
      const [created] = await store.events(sessionId, { after: 0, limit: 1 });
      if (created?.type !== "session.created") return null;
      // Read one message more than requested, to know whether there is another page.
      const found = openPage<Found>(limit + 1);
      if (start.seq === 0) await inheritedAfter(store, created, { after: start.inherited, found });
      if (!found.isFull()) await messagesAfter(store, { sessionId, after: start.seq, found });
      const page = found.isFull() ? found.items.slice(0, -1) : found.items;
      const isLast = !found.isFull();
      return {
        messages: page.map(({ message }) => message),
        waiting: isLast ? await waitingPrompts(store, sessionId) : [],
        cursor: isLast ? null : (page.at(-1)?.cursor ?? null),
      };
    },
  };
}

interface Found {
  readonly message: MessageView;
  readonly cursor: string;
}

async function inheritedAfter(
  store: StoreReader,
  created: EventOf<"session.created">,
  { after, found }: { after: number; found: Page<Found> },
): Promise<void> {
  for await (const { message, index } of inheritedFrom(store, created, after)) {
    found.add({ message: { ...message, seq: null }, cursor: `i${index + 1}` });
    if (found.isFull()) return;
  }
}

/** Reads messages after a cursor. Content is read concurrently, because the store may be remote. */
async function messagesAfter(
  store: StoreReader,
  part: { sessionId: string; after: number; found: Page<Found> },
): Promise<void> {
  const { sessionId, found } = part;
  const sources = sourcesOf(store, sessionId);
  let { after } = part;
  for (;;) {
    // An event creates at most one message, and about half of the events create none.
    const limit = Math.min(maxEvents, 2 * found.missing());
    const events = await store.events(sessionId, { after, limit, types: messageTypes });
    const withMessages = events.filter(canCreateMessage);
    while (withMessages.length > 0) {
      const next = withMessages.splice(0, found.batch());
      const messages = await Promise.all(next.map((event) => transcriptMessage(sources, event)));
      for (const [index, message] of messages.entries()) {
        const seq = next[index]?.seq ?? 0;
        if (message !== null) found.add({ message: { ...message, seq }, cursor: `${seq}` });
        if (found.isFull()) return;
      }
      await nextRound();
    }
    if (events.length < limit) return;
    after = events.at(-1)?.seq ?? after;
  }
}

const maxEvents = 500;

interface Cursor {
  /** Number of messages on earlier pages that a fork or an import copied. Copied messages come before all others. */
  readonly inherited: number;
  readonly seq: number;
}

/** Parses a cursor. `i12`: after the twelfth copied message. `45`: after the message of event 45. */
function readCursor(after: string | null): Cursor {
  if (after === null) return { inherited: 0, seq: 0 };
  const [, kind, digits] = /^(i?)(\d{1,15})$/.exec(after) ?? [];
  if (digits === undefined) {
    const message = '"after" must be the cursor of a previous page';
    throw new CommandRefused({ code: "invalid", field: "after", message });
  }
  const place = Number(digits);
  return kind === "i" ? { inherited: place, seq: 0 } : { inherited: 0, seq: place };
}

function sourcesOf(store: StoreReader, sessionId: string): MessageSources {
  return {
    bodies: store,
    prompt: (promptId) => store.prompt(sessionId, promptId),
    intent: async (callId) => {
      for await (const event of logOf(store, sessionId, { types: ["tool.started"] })) {
        if (event.callId === callId) return event.body;
      }
      return null;
    },
  };
}

async function waitingPrompts(
  store: StoreReader,
  sessionId: string,
): Promise<readonly UserMessage[]> {
  const lane = await store.lane(sessionId);
  const items = (lane?.queue ?? []).filter(({ kind }) => kind === "prompt");
  const rows = await Promise.all(items.map((item) => store.prompt(sessionId, itemId(item))));
  return Promise.all(
    rows.flatMap((row) => (row?.status === "queued" ? [userMessage(store, row)] : [])),
  );
}
