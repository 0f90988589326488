import type { Clock, Timer } from "../base/time.ts";

/**
 * Delays the check of a changed lane for a moment, because the process that changed the lane may start the work itself.
 * If that process does, its next signal cancels the check. If not, only this moment is lost.
 */
export interface LaterLooks {
  /**
   * Call for each signal about a session. If a check of an older state of this session is planned, cancels that check.
   */
  heard(lane: { sessionId: string; seq: number }): void;
  plan(lane: { sessionId: string; seq: number }): void;
  close(): void;
}

/**
 * Milliseconds to wait before the check of a changed session: longer than a commit on a busy store, too short for a
 * person to notice.
 */
const moment = 50;

export function createLaterLooks(clock: Clock, look: (sessionId: string) => void): LaterLooks {
  const planned = new Map<string, { seq: number; timer: Timer }>();
  const heard: LaterLooks["heard"] = ({ sessionId, seq }) => {
    const known = planned.get(sessionId);
    // Ignore an older signal: signals of several processes arrive in any order.
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
