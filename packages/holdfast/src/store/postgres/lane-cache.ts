import type { LaneState } from "../../kernel/state.ts";
import { keepLast } from "../../base/bounded-map.ts";

/** Caches committed lane states, so that most writes need no read. A stale state only causes a conflict. */
export class LaneCache {
  readonly #limit: number;
  /** Committed states by session. Null: another process has written the lane after this process read it. */
  readonly #states = new Map<string, LaneState | null>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(sessionId: string): LaneState | null {
    return this.#states.get(sessionId) ?? null;
  }

  /** True if this process used the lane recently, so that caching its state is worthwhile. */
  has(sessionId: string): boolean {
    return this.#states.has(sessionId);
  }

  /** Drops the cached state if it is older than `seq`. */
  outdate(sessionId: string, seq: number): void {
    const known = this.#states.get(sessionId) ?? null;
    if (known !== null && known.seq < seq) this.#states.set(sessionId, null);
  }

  /** Caches a state. Two commits of a lane may be reported in any order, so the later state is kept. */
  put(state: LaneState): void {
    const known = this.#states.get(state.sessionId);
    if (known !== undefined && known !== null && known.seq > state.seq) return;
    keepLast(this.#states, { key: state.sessionId, value: state }, this.#limit);
  }

  drop(sessionId: string): void {
    this.#states.delete(sessionId);
  }
}
