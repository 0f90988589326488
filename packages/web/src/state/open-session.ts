import { isEvent, Refused, trackInFlight } from "@holdfast/sdk";
import type { FeedItem, InFlight, Prompt, WireEvent } from "@holdfast/sdk";
import { createSignal, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import { emptyConversation } from "@holdfast/model/conversation.ts";
import type { Conversation, Entry } from "@holdfast/model/conversation.ts";
import { entryIdOf } from "@holdfast/model/entry-at.ts";
import { addEarlier, addEvent, emptyLog, hasGap } from "@holdfast/model/event-log.ts";
import { messageEntries } from "@holdfast/model/message-entries.ts";
import { takeEvent } from "@holdfast/model/take-event.ts";
import { learnPrompt, promptsWithoutText } from "@holdfast/model/take-prompt.ts";
import { holdfast } from "./client.ts";
import { onFeed, whenFollowing } from "./feed.ts";
import { loadPrompts } from "./load-prompts.ts";
import { perFrame } from "./per-frame.ts";
import { putSession, watchDetail } from "./sessions.ts";

/** Number of events to read when a session is opened, and each time the user loads earlier ones. */
const firstPart = 400;
const earlierPart = 2_000;

export interface OpenSession {
  readonly sessionId: string;
  readonly status: Accessor<"loading" | "ready" | "missing" | "failed">;
  /** The conversation so far. Reactive. */
  readonly conversation: Accessor<Conversation>;
  /** Entries that came with a fork or an import. */
  readonly origin: Accessor<readonly Entry[]>;
  /** The step in progress. */
  readonly inFlight: Accessor<InFlight | null>;
  readonly hasEarlier: Accessor<boolean>;
  loadEarlier(): Promise<void>;
  /** Loads the log back to the event with this seq. The first event includes the messages of a fork or an import. */
  reach(seq: number): Promise<void>;
  /** Id of the entry that shows an event; null if the event is not loaded or no entry shows it. Reactive. */
  entryAt(seq: number): string | null;
}

/** Follows a session until the calling component is removed. */
export function openSession(sessionId: string): OpenSession {
  const handle = holdfast.session(sessionId);
  const [status, setStatus] = createSignal<"loading" | "ready" | "missing" | "failed">("loading");
  const [version, setVersion] = createSignal(0);
  const [inFlight, setInFlight] = createSignal<InFlight | null>(null);
  const [hasEarlier, setHasEarlier] = createSignal(false);
  const [origin, setOrigin] = createSignal<readonly Entry[]>([]);
  const tracker = trackInFlight();
  const ended = new AbortController();
  const { signal } = ended;
  let log = emptyLog(0);
  let conversation = emptyConversation();
  let isReading = false;
  /** Events that arrived while the log was being read. */
  const arrived: WireEvent[] = [];

  const show = perFrame(() => {
    setInFlight(tracker.current);
    setVersion((count) => count + 1);
  });
  const take = (events: readonly WireEvent[]): void => {
    for (const event of events) takeEvent(conversation, event);
    if (events.length === 0) return;
    show();
    void learn();
  };
  const learning = new Set<string>();
  /** Loads the texts of prompts that were accepted before the loaded part of the log. */
  const learn = async (): Promise<void> => {
    const promptIds = promptsWithoutText(conversation).filter((id) => !learning.has(id));
    for (const promptId of promptIds) learning.add(promptId);
    if (promptIds.length === 0) return;
    const onPrompt = (prompt: Prompt): void => learnPrompt(conversation, prompt);
    // A prompt that cannot be loaded stays without text.
    await loadPrompts(handle, { promptIds, signal, onPrompt }).catch(() => {});
    show();
  };
  /**
   * Discards the loaded events and starts again near the end of the server's log. Needed if the server's log has become
   * shorter, for example after a backup was restored.
   */
  const forgetLog = (seq: number): void => {
    log = emptyLog(Math.max(0, seq - firstPart));
    conversation = emptyConversation();
    setHasEarlier(log.first > 1);
    setOrigin([]);
    show();
  };
  /** Reads the events after the last known one. Returns "reset" if the server's log no longer contains that event. */
  const readOn = async (): Promise<"read" | "reset"> => {
    // Send the last known event, so that the server can tell if its log no longer contains this event.
    const after = log.events.at(-1) ?? log.last;
    const read: WireEvent[] = [];
    try {
      for await (const item of handle.events({ after, follow: false, deltas: false, signal })) {
        if (item.type === "reset") {
          read.length = 0;
          forgetLog(item.seq);
          return "reset";
        }
        if (isEvent(item)) read.push(...addEvent(log, item));
      }
      return "read";
    } finally {
      // All at once, because each call looks for prompts without text in the whole conversation.
      take(read);
    }
  };
  /** Reads all events after the last known one. */
  const catchUp = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      let isReset = false;
      // More events can arrive during the read and leave another gap.
      do {
        isReset = (await readOn()) === "reset";
      } while (isReset || hasGap(log));
    } finally {
      isReading = false;
    }
  };
  let isAsking = false;
  const load = async (isLatest: () => boolean): Promise<void> => {
    await whenFollowing();
    isAsking = true;
    const detail = await handle.get({ signal });
    if (!isLatest()) return;
    isAsking = false;
    putSession(detail);
    log = emptyLog(Math.max(0, detail.seq - firstPart));
    await catchUp();
    setStatus("ready");
    for (const event of arrived.splice(0)) take(addEvent(log, event));
    if (hasGap(log)) await catchUp();
    setHasEarlier(log.first > 1);
    if (log.first === 1) await loadOrigin();
    show();
  };
  const loadOrigin = async (): Promise<void> => {
    const [created] = log.events;
    if (created?.type !== "session.created" || created.origin === null) return;
    const messages = [];
    for await (const message of handle.eachMessage({ signal, limit: 500 })) {
      if (message.seq !== null) break;
      messages.push(message);
    }
    setOrigin(messageEntries(messages));
  };
  /** Whether the last `reload` has failed. */
  let isReloadDue = false;
  /** Reads the log again, because events were skipped or the store's history was replaced. */
  const reload = async (): Promise<void> => {
    isReloadDue = false;
    try {
      const detail = await handle.get({ signal });
      putSession(detail);
      forgetLog(detail.seq);
      await catchUp();
      if (log.first === 1) await loadOrigin();
      show();
    } catch (error) {
      isReloadDue = true;
      showMissing(error);
    }
  };
  /** Shows that the session was deleted. After other errors, the request is retried later. */
  const showMissing = (error: unknown): void => {
    if (isGone(error)) setStatus("missing");
  };
  let earlier: Promise<void> | null = null;
  const readEarlier = async (seq = Infinity): Promise<void> => {
    const after = Math.max(0, Math.min(log.first - 1 - earlierPart, seq - firstPart));
    const events: WireEvent[] = [];
    const end = log.first;
    for await (const item of handle.events({ after, follow: false, deltas: false, signal })) {
      if (!isEvent(item)) continue;
      if (item.seq >= end) break;
      events.push(item);
    }
    addEarlier(log, events);
    conversation = emptyConversation();
    for (const event of log.events) takeEvent(conversation, event);
    learning.clear();
    void learn();
    setHasEarlier(log.first > 1);
    if (log.first === 1) await loadOrigin();
    show();
  };
  const loadEarlier = (seq?: number): Promise<void> =>
    (earlier ??= readEarlier(seq).finally(() => (earlier = null)));

  onCleanup(
    onFeed((item: FeedItem) => {
      if (item.type === "reset" && status() === "ready") void reload();
      if (item.type === "live") {
        tracker.take({ type: "live", seq: 0 });
        // The server is back, so do not wait for the next retry.
        if (status() === "failed" || isAsking) begin();
        else if (isReloadDue && status() === "ready") void reload();
        // The log has a gap: the connection was lost before `catchUp` had read all missing events. Read them now. If
        // this fails, the next event retries.
        else if (hasGap(log)) void catchUp().catch(() => {});
      }
      if (!("sessionId" in item) || item.sessionId !== sessionId) return;
      tracker.take(item);
      if (!isEvent(item)) return show();
      if (status() === "loading") {
        arrived.push(item);
        return;
      }
      take(addEvent(log, item));
      // If this fails, the next event detects the gap again.
      if (hasGap(log)) void catchUp().catch(() => {});
    }),
  );
  onCleanup(watchDetail(sessionId));
  onCleanup(() => ended.abort());
  let loads = 0;
  const begin = (): void => {
    const own = (loads += 1);
    setStatus("loading");
    load(() => own === loads).catch((error: unknown) => {
      if (signal.aborted || own !== loads) return;
      isAsking = false;
      setStatus(isGone(error) ? "missing" : "failed");
    });
  };
  begin();
  return {
    sessionId,
    status,
    conversation: () => {
      version();
      return conversation;
    },
    origin,
    inFlight,
    hasEarlier,
    loadEarlier,
    reach: async (seq) => {
      // Repeat: if a read of earlier events is already in progress, `loadEarlier` only waits for that read, which may
      // end before the event `seq` is loaded.
      while (seq < log.first) await loadEarlier(seq);
      // The session is ready before its copied messages are loaded.
      if (seq === 1 && origin().length === 0) await loadOrigin();
    },
    entryAt: (seq) => {
      version();
      const event = log.events[seq - log.first];
      return event === undefined ? null : entryIdOf(conversation, event);
    },
  };
}

function isGone(error: unknown): boolean {
  return error instanceof Refused && (error.status === 404 || error.status === 410);
}
