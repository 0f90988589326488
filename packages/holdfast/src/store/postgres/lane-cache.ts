import type { LaneState } from "../../kernel/state.ts";

/** Committed lane states, so that an owner's writes need no read. Old ones only cost a conflict. */
export class LaneCache {
  readonly #limit: number;
  readonly #states = new Map<string, LaneState>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(sessionId: string): LaneState | null {
    return this.#states.get(sessionId) ?? null;
  }

  /** Two commits of a lane may be reported in either order: the later state stays. */
  put(state: LaneState): void {
    const known = this.#states.get(state.sessionId);
    if (known !== undefined && known.seq > state.seq) return;
    this.#states.delete(state.sessionId);
    this.#states.set(state.sessionId, state);
    if (this.#states.size <= this.#limit) return;
    const [oldest] = this.#states.keys();
    if (oldest !== undefined) this.#states.delete(oldest);
  }

  drop(sessionId: string): void {
    this.#states.delete(sessionId);
  }
}
