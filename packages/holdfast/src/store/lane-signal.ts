import { attention } from "../kernel/attention.ts";
import type { LaneState } from "../kernel/state.ts";
import type { Signal } from "./store.ts";

export type LaneSignal = Extract<Signal, { kind: "lane" }>;

/**
 * Builds the signal about a session that this process has just changed. `at` is the time of the session's last event.
 */
export function ownSignal(state: LaneState, at: number): LaneSignal {
  const { sessionId, seq, directory } = state;
  const { ready: wants, dueAt } = attention(state);
  return {
    kind: "lane",
    sessionId,
    seq,
    ready: wants === null ? null : { directory, wants, since: at },
    wantsNothing: wants === null && dueAt === null,
    isForeign: false,
  };
}
