import type { Attention } from "../../kernel/attention.ts";
import type { LaneState } from "../../kernel/state.ts";
import { keepLast } from "../keep-last.ts";

/** A lane as it was last committed. */
export interface KnownLane {
  /** The number of its row. */
  readonly lane: number;
  readonly state: LaneState;
  /** What it wants, as its row says: what stays the same is not written again. */
  readonly attention: Attention;
  /** The positions of its newest events, which are not in the log's index yet. */
  readonly recent: readonly number[];
}

/** Lanes by session, the least recently used dropped first. */
export interface LaneCache {
  get(sessionId: string): KnownLane | undefined;
  set(sessionId: string, lane: KnownLane): void;
  clear(): void;
}

export function createLaneCache(capacity: number): LaneCache {
  // A Map keeps the order of insertion, so that its first key is the one that was not used longest.
  const lanes = new Map<string, KnownLane>();
  return {
    get(sessionId) {
      const lane = lanes.get(sessionId);
      if (lane === undefined) return undefined;
      lanes.delete(sessionId);
      lanes.set(sessionId, lane);
      return lane;
    },
    set: (sessionId, lane) => keepLast(lanes, { key: sessionId, value: lane }, capacity),
    clear: () => lanes.clear(),
  };
}
