import { setTimeout as delay } from "node:timers/promises";
import type { LaneEvent } from "../kernel/event.ts";
import type { FeedPage, StoreReader } from "../store/store.ts";
import { hintsFor } from "./hints.ts";
import type { LaneHub } from "./lane-hub.ts";

const pageSize = 500;

interface FollowParts {
  readonly store: StoreReader;
  readonly lanes: LaneHub;
}

/** A session's events after a seq, each once and in order; then those to come, until aborted (T2). */
export async function* followEvents(
  parts: FollowParts,
  target: { sessionId: string; after: number; signal?: AbortSignal },
): AsyncGenerator<LaneEvent> {
  const { sessionId, signal } = target;
  const isOver = (): boolean => signal?.aborted === true;
  const hints = hintsFor(parts.lanes, { sessionId, signal });
  let { after } = target;
  try {
    for (;;) {
      if (isOver()) return;
      hints.arm();
      const events = await parts.store.events(sessionId, { after, limit: pageSize });
      for (const event of events) {
        if (isOver()) return;
        after = event.seq;
        yield event;
      }
      if (events.length < pageSize) await hints.next();
    }
  } finally {
    hints.close();
  }
}

export interface FeedTarget {
  readonly after: string | null;
  readonly signal?: AbortSignal;
  /** Milliseconds between a hint and the reading: for who has time, and would rather read more at once. */
  readonly gather?: number;
}

/** All sessions' events after a cursor, by pages; then those to come, until aborted (T2). */
export async function* followFeed(
  parts: FollowParts,
  target: FeedTarget,
): AsyncGenerator<FeedPage> {
  const { signal, gather = 0 } = target;
  const isOver = (): boolean => signal?.aborted === true;
  const hints = hintsFor(parts.lanes, { sessionId: null, signal });
  let { after } = target;
  let caughtUp = false;
  try {
    for (;;) {
      if (isOver()) return;
      hints.arm();
      const page = await parts.store.feed({ after, limit: pageSize });
      if (isOver()) return;
      after = page.cursor;
      const isEnd = page.status === "events" && !page.more;
      if (page.status === "reset" || page.events.length > 0 || (isEnd && !caughtUp)) yield page;
      if (isEnd) {
        caughtUp = true;
        await hints.next();
        // Rejects when the reader leaves, which the loop checks next.
        if (gather > 0 && !isOver()) await delay(gather, undefined, { signal }).catch(() => {});
      }
    }
  } finally {
    hints.close();
  }
}
