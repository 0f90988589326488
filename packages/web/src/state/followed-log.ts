import type { SessionDetail, WireEvent } from "@holdfast/sdk";
import { emptyConversation } from "@holdfast/model/conversation.ts";
import type { Conversation } from "@holdfast/model/conversation.ts";
import { addEvent, emptyLog, hasGap } from "@holdfast/model/event-log.ts";
import { reachesBack } from "@holdfast/model/reaches-back.ts";
import { takeEvent } from "@holdfast/model/take-event.ts";
import { learnPrompt, promptsWithoutText } from "@holdfast/model/take-prompt.ts";
import { buildTimeline } from "@holdfast/model/timeline.ts";
import type { Timeline } from "@holdfast/model/timeline.ts";
import { holdfast } from "./client.ts";
import { loadPrompts } from "./load-prompts.ts";

/**
 * How many of the latest events to read. If they do not go back far enough, the log is read again with the next number.
 * They must contain the start of the time range and, for each unfinished prompt, the event that accepted it.
 */
const reaches = [240, 2_400, 24_000];

/** One session's log without long texts, loaded as far back as a timeline needs. */
export interface FollowedLog {
  readonly conversation: () => Conversation;
  readonly timeline: () => Timeline;
  /** Time of the session's latest known activity. */
  readonly lastAt: () => number;
  /** Loads the log back to a time, unless it is loaded that far. */
  readonly reachTo: (since: number) => Promise<void>;
  /**
   * Fills the log with events that were loaded elsewhere, unless it is filled already. Returns false if earlier events
   * are still needed.
   */
  readonly seed: (events: readonly WireEvent[], session: SessionDetail) => boolean;
  /** Adds a new event. If events between the last known one and this one are missing, reads them. */
  readonly take: (event: WireEvent) => void;
  /**
   * Discards the loaded events and reads the events since this time again. Needed after the server restored a backup.
   */
  readonly reload: (since: number) => Promise<void>;
}

export function followLog(options: {
  readonly sessionId: string;
  /** Seq of the latest known event. */
  readonly seq: number;
  readonly signal: AbortSignal;
  readonly onChange: () => void;
}): FollowedLog {
  const { sessionId, signal, onChange } = options;
  const handle = holdfast.session(sessionId);
  let log = emptyLog(options.seq);
  let conversation = emptyConversation();
  let timeline: Timeline | null = null;
  let firstAt = Infinity;
  let lastAt = 0;
  let reach = 0;
  let reached = Infinity;
  let reaching = Promise.resolve();
  let isReading = false;

  const changed = (): void => {
    timeline = null;
    onChange();
  };
  const add = (event: WireEvent): void => {
    for (const ready of addEvent(log, leanEvent(event))) {
      takeEvent(conversation, ready);
      firstAt = Math.min(firstAt, ready.at);
      lastAt = Math.max(lastAt, ready.at);
    }
    // The conversation has processed these events, so free them.
    log.events.length = 0;
    changed();
  };
  const catchUp = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      do {
        const query = { after: log.last, follow: false, deltas: false, signal };
        for await (const item of handle.events(query)) {
          if ("seq" in item && "at" in item) add(item);
        }
      } while (hasGap(log));
    } finally {
      isReading = false;
    }
    await learn();
  };
  /** Loads the texts of prompts that were accepted before the loaded part of the log. */
  const learn = async (): Promise<void> => {
    const known = conversation;
    await loadPrompts(handle, {
      promptIds: promptsWithoutText(known),
      signal,
      onPrompt: (prompt) => learnPrompt(known, prompt),
    });
    changed();
  };
  const isFarEnough = async (since: number): Promise<boolean> => {
    if (log.first === 1) return true;
    if (firstAt > since) return false;
    return reachesBack(conversation, await handle.get({ signal }));
  };
  const reachFor = async (since: number): Promise<void> => {
    if (reach > 0 && since >= reached) return;
    while (reach === 0 || (reach < reaches.length && !(await isFarEnough(since)))) {
      const behind = reaches[reach] ?? 0;
      reach += 1;
      log = emptyLog(Math.max(0, log.last - behind));
      conversation = emptyConversation();
      firstAt = Infinity;
      await catchUp();
    }
    reached = since;
  };
  const seed = (events: readonly WireEvent[], session: SessionDetail): boolean => {
    const [first] = events;
    if (first === undefined || reach > 0 || log.last > session.seq) return reach > 0;
    log = emptyLog(first.seq - 1);
    conversation = emptyConversation();
    for (const event of events) add(event);
    // A prompt whose text cannot be loaded stays without text.
    if (promptsWithoutText(conversation).length > 0) void learn().catch(() => {});
    if (log.first > 1 && !reachesBack(conversation, session)) return false;
    reach = 1;
    reached = Infinity;
    return true;
  };
  const reload = async (since: number): Promise<void> => {
    const { seq } = await handle.get({ signal });
    log = emptyLog(seq);
    lastAt = 0;
    reach = 0;
    await reachFor(since);
  };
  // Runs the functions one after another, because each may discard the loaded events and read them again. If one fails,
  // only its own caller gets the error.
  const inOrder = (work: () => Promise<void>): Promise<void> =>
    (reaching = reaching.catch(() => {}).then(work));
  return {
    conversation: () => conversation,
    timeline: () => (timeline ??= buildTimeline(conversation)),
    lastAt: () => lastAt,
    seed,
    reachTo: (since) => inOrder(() => reachFor(since)),
    reload: (since) => inOrder(() => reload(since)),
    take: (event) => {
      add(event);
      // If this fails, the next event detects the gap again.
      if (hasGap(log)) void catchUp().catch(() => {});
    },
  };
}

/** Removes the long texts of answers and results, for views that show only times and outcomes. */
function leanEvent(event: WireEvent): WireEvent {
  if (event.type === "step.answered" && event.content !== null) {
    const calls = event.content.calls.map((call) => ({ ...call, input: null }));
    return { ...event, content: { ...event.content, text: "", reasoning: null, calls } };
  }
  if (event.type === "tool.ended" && event.content !== null) {
    return { ...event, content: { ...event.content, output: "", extra: null } };
  }
  return event;
}
