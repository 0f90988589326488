import type { LaneState } from "../../kernel/state.ts";
import { keepLast } from "../keep-last.ts";

/** Committed lane states, so that most writes need no read. Old ones only cost a conflict. */
export class LaneCache {
  readonly #limit: number;
  /** Null where another process has written the lane since. */
  readonly #states = new Map<string, LaneState | null>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(sessionId: string): LaneState | null {
    return this.#states.get(sessionId) ?? null;
  }

  /** It was written here before, and not long ago: what is read of it is worth keeping. */
  has(sessionId: string): boolean {
    return this.#states.has(sessionId);
  }

  /** The lane is at this version by now: an older state is of no use. */
  outdate(sessionId: string, seq: number): void {
    const known = this.#states.get(sessionId) ?? null;
    if (known !== null && known.seq < seq) this.#states.set(sessionId, null);
  }

  /** Two commits of a lane may be reported in either order: the later state stays. */
  put(state: LaneState): void {
    const known = this.#states.get(state.sessionId);
    if (known !== undefined && known !== null && known.seq > state.seq) return;
    keepLast(this.#states, { key: state.sessionId, value: state }, this.#limit);
  }

  drop(sessionId: string): void {
    this.#states.delete(sessionId);
  }
}
