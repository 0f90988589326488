import type { FeedItem, WireEvent } from "@holdfast/sdk";

/** Whether an item changes what the list of sessions shows: status, queue, asks, title. */
export function changesLane(item: FeedItem): item is Extract<FeedItem, WireEvent> {
  switch (item.type) {
    case "live":
    case "reset":
    case "draining":
    case "delta":
    case "snapshot":
    case "maintenance":
    case "step.opened":
    case "tool.started":
    case "tool.ended":
    case "child.linked":
    case "child.settled":
    case "branch.ended":
      return false;
    case "session.created":
    case "session.renamed":
    case "session.archived":
    case "session.deleted":
    case "prompt.accepted":
    case "prompt.edited":
    case "prompt.moved":
    case "prompt.takenIn":
    case "prompt.returned":
    case "prompt.settled":
    case "prompt.tombstoned":
    case "prompt.unwanted":
    case "run.started":
    case "run.resumed":
    case "run.suspended":
    case "run.handedOver":
    case "run.stopping":
    case "run.closing":
    case "run.ended":
    case "run.waiting":
    case "run.woken":
    case "step.answered":
    case "ask.opened":
    case "ask.closed":
    case "cancel.committed":
    case "hold.placed":
    case "hold.released":
    case "work.queued":
    case "work.started":
    case "work.stopping":
    case "work.ended":
      return true;
  }
}
