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

export interface FeedOptions extends CallOptions {
  /** A cursor that came with an event, or `now` for what comes from now on. */
  readonly after?: string | undefined;
  readonly deltas?: boolean | undefined;
  readonly follow?: boolean | undefined;
}

/** An event with the cursor behind it: pass that as `after` to go on from there. */
export type FeedEvent = WireEvent & { readonly cursor: string };

/** What the stream of all sessions gives out; order is promised within each session (T2). */
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
  // Of no event: a newer server may say more than this client knows of.
  if (event.id === null) return { item: null, position: null };
  const item: WireEvent = dataOf(event);
  return { item: { ...item, cursor: event.id }, position: event.id };
}
