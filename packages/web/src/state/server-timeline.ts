import type { FeedItem, WireEvent } from "@holdfast/sdk";
import { createMemo, createSignal, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import { emptyConversation } from "../model/conversation.ts";
import type { Conversation } from "../model/conversation.ts";
import { addEvent, emptyLog, hasGap } from "../model/event-log.ts";
import type { EventLog } from "../model/event-log.ts";
import { takeEvent } from "../model/take-event.ts";
import { reachesBack } from "../model/reaches-back.ts";
import { learnPrompt } from "../model/take-prompt.ts";
import { buildTimeline } from "../model/timeline.ts";
import type { Timeline } from "../model/timeline.ts";
import { holdfast } from "./client.ts";
import { onFeed, whenFollowing } from "./feed.ts";
import { perFrame } from "./per-frame.ts";
import { sessions, sessionsLoaded } from "./sessions.ts";

/**
 * So many sessions are shown, those that did something last, with so many events of each; with more
 * where something goes on that began earlier.
 */
const shownSessions = 24;
const reaches = [240, 2_400, 24_000];
const readAtOnce = 4;

interface Followed {
  readonly log: EventLog;
  readonly conversation: Conversation;
  isReading: boolean;
  /** Raised whenever the conversation changes. */
  revision: number;
}

export interface ServerTimeline {
  readonly isLoaded: Accessor<boolean>;
  /** By session: the new ones, then those that had done something last when this began. */
  readonly timelines: Accessor<ReadonlyMap<string, Timeline>>;
  /** What their logs say. */
  readonly conversations: Accessor<ReadonlyMap<string, Conversation>>;
}

/** Follows what the latest sessions of the server do, for as long as the component lives. */
export function serverTimeline(): ServerTimeline {
  const followed = new Map<string, Followed>();
  const [version, setVersion] = createSignal(0);
  const [isLoaded, setLoaded] = createSignal(false);
  // It stays as it is while people look, whoever does something.
  const [order, setOrder] = createSignal<readonly string[]>([]);
  const ended = new AbortController();
  const { signal } = ended;
  const built = new Map<string, { revision: number; timeline: Timeline }>();
  const show = perFrame(() => setVersion((count) => count + 1));
  const take = (one: Followed, event: WireEvent): void => {
    for (const ready of addEvent(one.log, event)) takeEvent(one.conversation, ready);
    one.revision += 1;
    show();
  };
  const catchUp = async (sessionId: string, one: Followed): Promise<void> => {
    if (one.isReading) return;
    one.isReading = true;
    try {
      const options = { after: one.log.last, follow: false, deltas: false, signal };
      for await (const item of holdfast.session(sessionId).events(options)) {
        if ("seq" in item && "at" in item) take(one, item);
      }
    } finally {
      one.isReading = false;
    }
    await learn(sessionId, one);
  };
  const learn = async (sessionId: string, one: Followed): Promise<void> => {
    const unknown = [...one.conversation.prompts.values()].filter(({ text }) => text === null);
    for (const { promptId } of unknown.slice(-20)) {
      const prompt = await holdfast.session(sessionId).promptById(promptId).get({ signal });
      learnPrompt(one.conversation, prompt);
      one.revision += 1;
      show();
    }
  };
  const follow = async (sessionId: string, seq: number): Promise<void> => {
    for (const reach of reaches) {
      const one: Followed = {
        log: emptyLog(Math.max(0, seq - reach)),
        conversation: emptyConversation(),
        isReading: false,
        revision: 0,
      };
      followed.set(sessionId, one);
      built.delete(sessionId);
      await catchUp(sessionId, one);
      if (hasGap(one.log)) await catchUp(sessionId, one);
      if (one.log.first === 1) return;
      const detail = await holdfast.session(sessionId).get({ signal });
      if (reachesBack(one.conversation, detail)) return;
    }
  };
  const load = async (): Promise<void> => {
    await whenFollowing();
    const { items } = await holdfast.sessions.list({ limit: shownSessions });
    setOrder((before) => [...before, ...items.map(({ sessionId }) => sessionId)]);
    for (let first = 0; first < items.length && !signal.aborted; first += readAtOnce) {
      const batch = items.slice(first, first + readAtOnce);
      await Promise.all(batch.map(({ sessionId, seq }) => follow(sessionId, seq).catch(() => {})));
      setLoaded(true);
    }
    setLoaded(true);
  };
  onCleanup(
    onFeed((item: FeedItem) => {
      if (item.type === "reset") {
        for (const [sessionId, one] of followed) void catchUp(sessionId, one).catch(() => {});
      }
      if (!("seq" in item && "at" in item && "sessionId" in item)) return;
      const one = followed.get(item.sessionId);
      if (one === undefined) {
        setOrder((before) => [item.sessionId, ...before.filter((id) => id !== item.sessionId)]);
        void follow(item.sessionId, item.seq).catch(() => {});
        return;
      }
      take(one, item);
      if (hasGap(one.log)) void catchUp(item.sessionId, one).catch(() => {});
    }),
  );
  onCleanup(() => ended.abort());
  load().catch(() => setLoaded(true));
  const timelines = createMemo(() => {
    version();
    const shown = order().flatMap((sessionId) => {
      const one = isGone(sessionId) ? undefined : followed.get(sessionId);
      return one === undefined ? [] : [[sessionId, one] as const];
    });
    return new Map(
      shown.map(([sessionId, one]) => {
        const known = built.get(sessionId);
        if (known?.revision === one.revision) return [sessionId, known.timeline] as const;
        const timeline = buildTimeline(one.conversation);
        built.set(sessionId, { revision: one.revision, timeline });
        return [sessionId, timeline] as const;
      }),
    );
  });
  const conversations = createMemo(() => {
    version();
    return new Map([...followed].map(([sessionId, { conversation }]) => [sessionId, conversation]));
  });
  return { isLoaded, timelines, conversations };
}

function isGone(sessionId: string): boolean {
  return sessionsLoaded() && sessions[sessionId] === undefined;
}
