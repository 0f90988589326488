import type { Clock, Timer } from "../base/time.ts";

/**
 * Lanes that are looked at after a moment, since whoever has written them may take what they want itself:
 * if it does, it says so, and the look is spared. If it does not, this costs the moment.
 */
export interface LaterLooks {
  /** A signal about a lane: what an earlier one has asked for is outdated. */
  heard(lane: { sessionId: string; seq: number }): void;
  plan(lane: { sessionId: string; seq: number }): void;
  close(): void;
}

/** Milliseconds: longer than a commit takes on a busy store, and nothing to a person. */
const moment = 50;

export function createLaterLooks(clock: Clock, look: (sessionId: string) => void): LaterLooks {
  const planned = new Map<string, { seq: number; timer: Timer }>();
  const heard: LaterLooks["heard"] = ({ sessionId, seq }) => {
    const known = planned.get(sessionId);
    // Signals of several processes come in any order: an older one says nothing new.
    if (known === undefined || known.seq >= seq) return;
    known.timer.cancel();
    planned.delete(sessionId);
  };
  return {
    heard,
    plan: ({ sessionId, seq }) => {
      if (planned.has(sessionId)) return;
      const timer = clock.after(moment, () => {
        planned.delete(sessionId);
        look(sessionId);
      });
      planned.set(sessionId, { seq, timer });
    },
    close: () => {
      for (const { timer } of planned.values()) timer.cancel();
      planned.clear();
    },
  };
}
