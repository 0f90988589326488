import type { FeedItem } from "./feed-stream.ts";
import type { SessionItem } from "./session-stream.ts";

/**
 * Returns true for events, which are in the session's log, and false for items that only accompany them,
 * such as deltas.
 *
 * @example
 * for await (const item of session.events({ follow: false })) {
 *   if (isEvent(item)) console.log(item.seq, item.type);
 * }
 */
export function isEvent<Item extends SessionItem | FeedItem>(
  item: Item,
): item is Exclude<Item, { readonly type: Beside }> {
  return !beside.has(item.type);
}

const besides = ["delta", "snapshot", "live", "reset", "draining", "maintenance"] as const;
type Beside = (typeof besides)[number];
const beside: ReadonlySet<string> = new Set(besides);
