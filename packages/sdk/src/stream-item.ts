import { dataOf } from "./follow.ts";
import type { SseEvent } from "./sse.ts";
import type { Delta, Draining, MaintenanceEvent, Snapshot } from "./types.gen.ts";

/** A piece of the step in progress. The final event replaces it, and a restart of the step discards it. */
export type DeltaItem = Delta & { readonly type: "delta" };

/** The text of the step in progress so far. Later deltas continue it. */
export type SnapshotItem = Snapshot & { readonly type: "snapshot" };

/** All existing events have arrived; the following ones are new. Repeated after each reconnection. */
export interface LiveItem {
  readonly type: "live";
  readonly seq: number;
}

/** All existing events of all sessions have arrived; the following ones are new. Repeated after each reconnection. */
export interface FeedLiveItem {
  readonly type: "live";
  readonly cursor: string;
}

/** The log no longer contains events that you have seen, for example after a restored backup. Read the state again. */
export interface SessionResetItem {
  readonly type: "reset";
  /** The stream continues after this event. */
  readonly seq: number;
}

/** The cursor was too old, so events were skipped. Read the state again. */
export interface ResetItem {
  readonly type: "reset";
  readonly cursor: string;
}

/**
 * Progress of a reload or close of directories. A new event stream first sends an item for each reload or close that
 * has not ended.
 */
export type MaintenanceItem = MaintenanceEvent & { readonly type: "maintenance" };

/** The server is shutting down. The stream continues when a server answers again. */
export interface DrainingItem {
  readonly type: "draining";
  /**
   * Time in milliseconds (server clock) at which the server stops its active runs. They then continue in another server
   * process.
   */
  readonly until: number;
}

/** Reads an item that is not in the log and does not move the reader's position. */
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
