import type { FeedItem, WireEvent } from "@holdfast/sdk";

/** Item types that do not change the session list. Unknown types count as a change. */
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

/** Whether an item changes the session list: status, queue, asks or title. */
export function changesLane(item: FeedItem): item is Extract<FeedItem, WireEvent> {
  return !quietTypes.has(item.type);
}
