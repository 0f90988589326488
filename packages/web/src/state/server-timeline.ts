import type { FeedItem, WireEvent } from "@holdfast/sdk";
import { createSignal, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import { emptyConversation } from "../model/conversation.ts";
import type { Conversation } from "../model/conversation.ts";
import { addEvent, emptyLog } from "../model/event-log.ts";
import type { EventLog } from "../model/event-log.ts";
import { takeEvent } from "../model/take-event.ts";
import { timelineBars } from "../model/timeline.ts";
import type { Bar } from "../model/timeline.ts";
import { holdfast } from "./client.ts";
import { onFeed, whenFollowing } from "./feed.ts";
import { perFrame } from "./per-frame.ts";
import { sessions } from "./sessions.ts";

/** So many sessions, those with the latest activity, and so much of each of their logs. */
const shownSessions = 24;
const shownEvents = 300;

interface Track {
  readonly log: EventLog;
  readonly conversation: Conversation;
}

/** What the latest sessions have been doing, and are doing now. */
export function serverTimeline(): { bars: Accessor<readonly Bar[]>; isLoading: Accessor<boolean> } {
  const tracks = new Map<string, Track>();
  const [bars, setBars] = createSignal<readonly Bar[]>([]);
  const [isLoading, setLoading] = createSignal(true);
  const ended = new AbortController();
  const { signal } = ended;
  const show = perFrame(() => {
    setBars(
      [...tracks].flatMap(([sessionId, { conversation }]) => timelineBars(sessionId, conversation)),
    );
  });
  const open = async (sessionId: string, seq: number): Promise<void> => {
    const log = emptyLog(Math.max(0, seq - shownEvents));
    const track = { log, conversation: emptyConversation() };
    tracks.set(sessionId, track);
    await fill(sessionId, track);
  };
  const fill = async (sessionId: string, track: Track): Promise<void> => {
    const options = { after: track.log.last, follow: false, deltas: false, signal } as const;
    for await (const item of holdfast.session(sessionId).events(options)) {
      if (item.type === "live" || item.type === "delta" || item.type === "snapshot") continue;
      take(track, item);
    }
  };
  const take = (track: Track, event: WireEvent): void => {
    for (const ready of addEvent(track.log, event)) takeEvent(track.conversation, ready);
    show();
  };
  const load = async (): Promise<void> => {
    await whenFollowing();
    const { items } = await holdfast.sessions.list({ limit: shownSessions, signal });
    await Promise.all(items.map(({ sessionId, seq }) => open(sessionId, seq)));
    setLoading(false);
    show();
  };
  onCleanup(
    onFeed((item: FeedItem) => {
      if (!("cursor" in item) || item.type === "live" || item.type === "reset") return;
      const { cursor: _, ...event } = item;
      const track = tracks.get(item.sessionId);
      if (track !== undefined) {
        take(track, event);
        if (track.log.early.size > 0) void fill(item.sessionId, track).catch(() => {});
      } else if (!isLoading() && item.type === "session.created") {
        void open(item.sessionId, 0).catch(() => {});
      } else if (!isLoading() && sessions[item.sessionId] !== undefined) {
        void open(item.sessionId, item.seq).catch(() => {});
      }
    }),
  );
  onCleanup(() => ended.abort());
  void load().catch(() => setLoading(false));
  return { bars, isLoading };
}
