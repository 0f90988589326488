import { dataOf, followStream } from "./follow.ts";
import type { Reading } from "./follow.ts";
import type { SseEvent } from "./sse.ts";
import { passingItem } from "./stream-item.ts";
import type {
  DeltaItem,
  DrainingItem,
  FeedLiveItem,
  MaintenanceItem,
  ResetItem,
  SnapshotItem,
} from "./stream-item.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { MaintenanceEvent, WireEvent } from "./types.gen.ts";

/** Options of `holdfast.events`. */
export interface FeedOptions extends CallOptions {
  /** Start after the cursor of an event, or with new events (`"now"`). Default: the oldest event. */
  readonly after?: string | undefined;
  /** False: events only, no deltas. Default: true. */
  readonly deltas?: boolean | undefined;
  /** False: end after the last event that exists now. Default: true. */
  readonly follow?: boolean | undefined;
}

/** An event with its cursor. Pass the cursor as `after` to continue from there. */
export type FeedEvent = WireEvent & { readonly cursor: string };

/** An item of the stream of all sessions. The events of each session are in order (T2). */
export type FeedItem =
  | FeedEvent
  | DeltaItem
  | SnapshotItem
  | FeedLiveItem
  | ResetItem
  | MaintenanceItem
  | DrainingItem;

export function feedStream(transport: Transport, options: FeedOptions): AsyncGenerator<FeedItem> {
  const { after, deltas = true, follow = true } = options;
  const query = deltas ? {} : { deltas };
  const stream = { path: "/v1/events", query, after, follow, read: readFeedEvent };
  return followStream<FeedItem>(transport, stream, options);
}

function readFeedEvent(event: SseEvent): Reading<FeedItem> {
  const passing = passingItem(event);
  if (passing !== null) return { item: passing, position: null };
  if (event.type === "maintenance") {
    const told: MaintenanceEvent = dataOf(event);
    return { item: { ...told, type: "maintenance" }, position: null };
  }
  if (event.type === "live" || event.type === "reset") {
    const { cursor }: FeedLiveItem | ResetItem = dataOf(event);
    return { item: { type: event.type, cursor }, position: cursor };
  }
  // Ignore message types of newer servers.
  if (event.id === null) return { item: null, position: null };
  const item: WireEvent = dataOf(event);
  return { item: { ...item, cursor: event.id }, position: event.id };
}
