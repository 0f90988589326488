import type { WireEvent } from "@holdfast/sdk";
import { emptyConversation } from "../model/conversation.ts";
import type { Conversation } from "../model/conversation.ts";
import { addEvent, emptyLog, hasGap } from "../model/event-log.ts";
import { leanEvent } from "../model/lean-event.ts";
import { reachesBack } from "../model/reaches-back.ts";
import { takeEvent } from "../model/take-event.ts";
import { learnPrompt } from "../model/take-prompt.ts";
import { buildTimeline } from "../model/timeline.ts";
import type { Timeline } from "../model/timeline.ts";
import { holdfast } from "./client.ts";

/**
 * So many events of a session are read, and more where they do not go back far enough: to the accept
 * of all that is unsettled, and to the time that is looked at.
 */
const reaches = [240, 2_400, 24_000];

/** One session's log, as much of it as tells what it did when; without its long texts. */
export interface FollowedLog {
  readonly conversation: () => Conversation;
  readonly timeline: () => Timeline;
  /** When the session last did something, as far as is known here. */
  readonly lastAt: () => number;
  /** Reads it as far back as a time, if it was not read so far before. */
  readonly reachTo: (since: number) => Promise<void>;
  /** Takes the next event, and reads what is missing in front of it. */
  readonly take: (event: WireEvent) => void;
  /** Reads all of it again, down to a time: the store may have another past than the one that is here. */
  readonly readAnew: (since: number) => Promise<void>;
}

export function followLog(options: {
  readonly sessionId: string;
  /** Where its log ends, or did a moment ago. */
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
    // They are in the conversation, and nobody asks for them again.
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
  /** The words of prompts that were accepted before the part of the log that is here. */
  const learn = async (): Promise<void> => {
    const unknown = [...conversation.prompts.values()].filter(({ text }) => text === null);
    for (const { promptId } of unknown.slice(-20)) {
      learnPrompt(conversation, await handle.promptById(promptId).get({ signal }));
      changed();
    }
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
  const readAnew = async (since: number): Promise<void> => {
    const { seq } = await handle.get({ signal });
    log = emptyLog(seq);
    lastAt = 0;
    reach = 0;
    await reachFor(since);
  };
  // One after the other, since each may restart the log. A failure reaches the caller of that work.
  const inOrder = (work: () => Promise<void>): Promise<void> =>
    (reaching = reaching.catch(() => {}).then(work));
  return {
    conversation: () => conversation,
    timeline: () => (timeline ??= buildTimeline(conversation)),
    lastAt: () => lastAt,
    reachTo: (since) => inOrder(() => reachFor(since)),
    readAnew: (since) => inOrder(() => readAnew(since)),
    take: (event) => {
      add(event);
      // The next event finds the gap again.
      if (hasGap(log)) void catchUp().catch(() => {});
    },
  };
}
