import type { FeedItem, WireEvent } from "@holdfast/sdk";

/** Items after which the list of sessions looks the same. A type to come is taken to change it. */
const quietTypes: ReadonlySet<FeedItem["type"]> = new Set<FeedItem["type"]>([
  "live",
  "reset",
  "draining",
  "delta",
  "snapshot",
  "maintenance",
  "step.opened",
  "tool.started",
  "tool.ended",
  "child.linked",
  "child.settled",
  "branch.ended",
]);

/** Whether an item changes what the list of sessions shows: status, queue, asks, title. */
export function changesLane(item: FeedItem): item is Extract<FeedItem, WireEvent> {
  return !quietTypes.has(item.type);
}
