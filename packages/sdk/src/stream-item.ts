import { dataOf } from "./follow.ts";
import type { SseEvent } from "./sse.ts";
import type { Delta, Draining, MaintenanceEvent, Snapshot } from "./types.gen.ts";

// What streams give out beside events.

/** A piece of the step in flight, ahead of the event that will hold it whole; it may be taken back. */
export type DeltaItem = Delta & { readonly type: "delta" };

/** The step in flight as far as it has come: what deltas go on from. */
export type SnapshotItem = Snapshot & { readonly type: "snapshot" };

/** All that was there has come; what follows is new. It comes again after each reconnection. */
export interface LiveItem {
  readonly type: "live";
  readonly seq: number;
}

export interface FeedLiveItem {
  readonly type: "live";
  readonly cursor: string;
}

/** The session's log ends before what was seen, as after a backup was put back: read it anew. */
export interface SessionResetItem {
  readonly type: "reset";
  /** Behind this event it goes on. */
  readonly seq: number;
}

/** The cursor was too old, so events were left out: read the state anew. */
export interface ResetItem {
  readonly type: "reset";
  readonly cursor: string;
}

/** A refresh or close, whenever it gets further; those that are open come first on a connection. */
export type MaintenanceItem = MaintenanceEvent & { readonly type: "maintenance" };

/** The server was told to stop. The stream goes on when it is back, or elsewhere. */
export interface DrainingItem {
  readonly type: "draining";
  /** When active runs are handed over, by the server's clock. */
  readonly until: number;
}

/** What is not in the log, and does not move a reader's position. */
export function passingItem(event: SseEvent): DeltaItem | SnapshotItem | DrainingItem | null {
  if (event.type === "delta") {
    const delta: Delta = dataOf(event);
    return { ...delta, type: "delta" };
  }
  if (event.type === "snapshot") {
    const snapshot: Snapshot = dataOf(event);
    return { ...snapshot, type: "snapshot" };
  }
  if (event.type === "draining") {
    const { until }: Draining = dataOf(event);
    return { type: "draining", until };
  }
  return null;
}
