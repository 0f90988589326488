import type { Attention } from "../../kernel/attention.ts";
import type { LaneState } from "../../kernel/state.ts";
import { keepLast } from "../../base/bounded-map.ts";

/** A lane's last committed state, and data of its row. */
export interface KnownLane {
  /** Row number of the lane. */
  readonly lane: number;
  readonly state: LaneState;
  /**
   * The stored columns that say which action the session needs next, such as the start of a run. They are written again
   * only if they change.
   */
  readonly attention: Attention;
  /** Positions of the lane's newest events, which are not in the log's index yet. */
  readonly recent: readonly number[];
}

/** Lanes by session. The least recently used ones are dropped first. */
export interface LaneCache {
  get(sessionId: string): KnownLane | undefined;
  set(sessionId: string, lane: KnownLane): void;
  clear(): void;
}

export function createLaneCache(capacity: number): LaneCache {
  // A Map keeps insertion order, so its first key is the least recently used.
  const lanes = new Map<string, KnownLane>();
  return {
    get(sessionId) {
      const lane = lanes.get(sessionId);
      if (lane === undefined) return undefined;
      lanes.delete(sessionId);
      lanes.set(sessionId, lane);
      return lane;
    },
    set: (sessionId, lane) => void keepLast(lanes, { key: sessionId, value: lane }, capacity),
    clear: () => lanes.clear(),
  };
}
