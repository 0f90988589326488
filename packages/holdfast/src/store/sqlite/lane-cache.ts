import type { LaneState } from "../../kernel/state.ts";

/** Committed lane states by session, the least recently used dropped first. */
export interface LaneCache {
  get(sessionId: string): LaneState | undefined;
  set(sessionId: string, state: LaneState): void;
  clear(): void;
}

export function createLaneCache(capacity: number): LaneCache {
  // A Map keeps the order of insertion, so that its first key is the one that was not used longest.
  const states = new Map<string, LaneState>();
  return {
    get(sessionId) {
      const state = states.get(sessionId);
      if (state === undefined) return undefined;
      states.delete(sessionId);
      states.set(sessionId, state);
      return state;
    },
    set(sessionId, state) {
      states.delete(sessionId);
      states.set(sessionId, state);
      if (states.size <= capacity) return;
      for (const oldest of states.keys()) {
        states.delete(oldest);
        return;
      }
    },
    clear: () => states.clear(),
  };
}
