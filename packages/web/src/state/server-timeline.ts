import { Refused } from "@holdfast/sdk";
import type { FeedItem, Session } from "@holdfast/sdk";
import { createEffect, createMemo, createSignal, onCleanup, untrack } from "solid-js";
import type { Accessor } from "solid-js";
import type { Timeline } from "@holdfast/model/timeline.ts";
import { chooseSessions, hasWork } from "@holdfast/model/wanted-sessions.ts";
import type { Wanted } from "@holdfast/model/wanted-sessions.ts";
import { holdfast } from "./client.ts";
import { onFeed, whenFollowing } from "./feed.ts";
import { followLog } from "./followed-log.ts";
import type { FollowedLog } from "./followed-log.ts";
import { perFrame } from "./per-frame.ts";
import { putSessions, sessions, sessionsLoaded } from "./sessions.ts";

/** Maximum number of sessions whose logs are followed, to limit the load on the server. */
const most = 400;
const readAtOnce = 4;

export interface ServerTimeline {
  readonly isLoaded: Accessor<boolean>;
  /**
   * Timelines by session: newly active sessions first, then sessions that had work when the page was opened, then the
   * others.
   */
  readonly timelines: Accessor<ReadonlyMap<string, Timeline>>;
  readonly shown: Accessor<Shown>;
}

/** Numbers of sessions that are shown and not shown. */
export interface Shown {
  readonly count: number;
  /** Number of sessions that match; `count` of them are shown. */
  readonly wanted: number;
  /**
   * True if some sessions without work are left out. Their latest activity is earlier than that of the shown sessions.
   */
  readonly hasEarlier: boolean;
}

interface Listing {
  /** All sessions with work, and the requested number of other sessions. Sorted by latest activity. */
  readonly sessions: readonly Session[];
  /** True if the server has more sessions. Their latest activity is earlier than that of the sessions in `sessions`. */
  readonly hasMore: boolean;
}

/** Follows the matching sessions of the server until the calling component is removed. */
export function serverTimeline(wanted: Accessor<Wanted>): ServerTimeline {
  const followed = new Map<string, FollowedLog>();
  const [version, setVersion] = createSignal(0);
  const [hasRead, setRead] = createSignal(false);
  const [isListed, setIsListed] = createSignal(false);
  const [listed, setListed] = createSignal<Listing>({ sessions: [], hasMore: false });
  const [entered, setEntered] = createSignal<readonly string[]>([]);
  const ended = new AbortController();
  const { signal } = ended;
  const show = perFrame(() => setVersion((count) => count + 1));
  const logOf = (sessionId: string, seq: number): FollowedLog => {
    const known = followed.get(sessionId);
    if (known !== undefined) return known;
    const log = followLog({ sessionId, seq, signal, onChange: show });
    followed.set(sessionId, log);
    return log;
  };
  const choice = createMemo(() => chooseSessions(listed().sessions, { ...wanted(), most }));
  // The order stays the same while the page is open, even if other sessions become active.
  const order = createMemo(() => [
    ...new Set([...entered(), ...choice().sessions.map(({ sessionId }) => sessionId)]),
  ]);

  /** Number of calls of `list` so far. Only the latest call may use its result. */
  let lists = 0;
  /** Lists the matching sessions. */
  const list = async (request: Wanted): Promise<void> => {
    const own = (lists += 1);
    await whenFollowing();
    const latest = Math.min(most, request.latest);
    const { items, hasMore } = await holdfast.timeline({ latest, signal });
    if (own !== lists) return;
    const found = items.map(({ session }) => session);
    // Add the sessions with work to the session store, because the page counts them there.
    putSessions(found.filter(hasWork));
    for (const { session, events } of items) {
      logOf(session.sessionId, session.seq).seed(events, session);
    }
    setListed({ sessions: found, hasMore: hasMore && latest < most });
  };
  createEffect(() => {
    // If this fails, the connection banner shows that the server is unreachable. The sessions are listed again when the
    // user changes the time range.
    list(wanted())
      .finally(() => setIsListed(true))
      .catch(() => {});
  });
  /** Number of calls of `read` so far. A new call stops the earlier ones. */
  let reading = 0;
  /** Reads the logs of sessions that are not loaded. */
  const read = (chosen: readonly Session[], since: number): void => {
    const own = (reading += 1);
    void someAtOnce(chosen, async ({ sessionId, seq }) => {
      if (signal.aborted || own !== reading) return;
      // If the log of a session cannot be read, the session's row in the timeline stays empty until the time range
      // changes.
      await logOf(sessionId, seq)
        .reachTo(since)
        .catch(() => {});
      setRead(true);
    });
  };
  /** Reads everything again, because events were skipped or a backup was restored. */
  const reloadAll = (): void => {
    const request = untrack(wanted);
    // If listing fails, keep the listed sessions.
    void list(request).catch(() => {});
    void someAtOnce(followed, async ([sessionId, log]) => {
      try {
        await log.reload(request.since);
      } catch (error) {
        if (error instanceof Refused) followed.delete(sessionId);
        show();
      }
    });
  };
  createEffect(() => {
    const { sessions: chosen } = choice();
    putSessions(chosen);
    read(chosen, wanted().since);
  });
  /** Adds a newly active session at the top. If there are too many, drops the session that was idle for longest. */
  const enter = (sessionId: string, seq: number): void => {
    setEntered((before) => [sessionId, ...before.filter((id) => id !== sessionId)]);
    // If the log cannot be read, its row stays empty until the session's next event, or until the user changes the time
    // range.
    void logOf(sessionId, seq)
      .reachTo(wanted().since)
      .catch(() => {});
    if (followed.size <= most) return;
    const resting = order().filter((id) => followed.has(id) && !isBusy(id) && id !== sessionId);
    const oldest = resting.toSorted((one, other) => lastOf(one) - lastOf(other))[0];
    if (oldest !== undefined) followed.delete(oldest);
  };
  const lastOf = (sessionId: string): number => followed.get(sessionId)?.lastAt() ?? 0;

  onCleanup(
    onFeed((item: FeedItem) => {
      if (item.type === "reset") reloadAll();
      if (!("seq" in item && "at" in item && "sessionId" in item)) return;
      const log = followed.get(item.sessionId);
      if (log === undefined) enter(item.sessionId, item.seq);
      else log.take(item);
    }),
  );
  onCleanup(() => ended.abort());

  const here = createMemo(() => {
    version();
    return order().flatMap((sessionId) => {
      const log = isGone(sessionId) ? undefined : followed.get(sessionId);
      return log === undefined ? [] : [[sessionId, log] as const];
    });
  });
  return {
    isLoaded: () => hasRead() || (isListed() && choice().sessions.length === 0),
    timelines: createMemo(
      () => new Map(here().map(([sessionId, log]) => [sessionId, log.timeline()])),
    ),
    shown: createMemo(() => ({
      count: here().length,
      wanted: Math.max(here().length, choice().wanted),
      hasEarlier: choice().hasEarlier || listed().hasMore,
    })),
  };
}

/** Processes the items with a few workers in parallel. */
async function someAtOnce<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const next = [...items].values();
  const worker = async (): Promise<void> => {
    for (const item of next) await work(item);
  };
  await Promise.all(Array.from({ length: readAtOnce }, worker));
}

function isBusy(sessionId: string): boolean {
  const session = sessions[sessionId];
  return session !== undefined && hasWork(session);
}

/** True if the session was deleted: every shown session stays in the store until it is deleted. */
function isGone(sessionId: string): boolean {
  return sessionsLoaded() && sessions[sessionId] === undefined;
}
