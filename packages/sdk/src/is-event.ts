import type { FeedItem } from "./feed-stream.ts";
import type { SessionItem } from "./session-stream.ts";

/** Whether an item of a stream is in the log, and not only passing by. */
export function isEvent<Item extends SessionItem | FeedItem>(
  item: Item,
): item is Exclude<Item, { readonly type: Beside }> {
  return !beside.has(item.type);
}

const besides = ["delta", "snapshot", "live", "reset", "draining", "maintenance"] as const;
type Beside = (typeof besides)[number];
const beside: ReadonlySet<string> = new Set(besides);
