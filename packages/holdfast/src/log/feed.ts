import type { FeedPage, Store, StoreReader } from "../store/store.ts";
import { follow } from "./follow.ts";
import type { FollowOptions, LogPage, LogSource } from "./follow.ts";

interface Page extends LogPage<string | null> {
  readonly page: FeedPage;
}

/** Returns a source of all sessions' events, for readers that wait for new events at the end of the log. */
function feedSource(store: Pick<Store, "feed" | "watch">): LogSource<string | null, Page> {
  return { ...feedToEnd(store), hints: (ring) => store.watch(ring) };
}

/** Returns a source of all sessions' events that stops at the current end of the log. */
export function feedToEnd(store: Pick<StoreReader, "feed">): LogSource<string | null, Page> {
  return {
    read: async (after, limit) => {
      const page = await store.feed({ after, limit });
      return { page, after: page.cursor, more: page.status === "reset" || page.more };
    },
    hints: null,
  };
}

const pageSize = 500;

/** Yields all sessions' events after a cursor in pages, then new ones, until aborted (T2). */
export async function* followFeed(
  store: Pick<Store, "feed" | "watch">,
  target: Omit<FollowOptions<string | null>, "limit">,
): AsyncGenerator<FeedPage> {
  let hasCaughtUp = false;
  for await (const { page, more } of follow(feedSource(store), { ...target, limit: pageSize })) {
    if (target.signal?.aborted === true) return;
    const isNews = page.status === "reset" || page.events.length > 0;
    if (isNews || (!more && !hasCaughtUp)) yield page;
    hasCaughtUp ||= !more;
  }
}
