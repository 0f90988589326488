import type { Signal } from "../store/store.ts";

/** Notifies listeners in this process that a lane (the state of a session) may have changed. */
export interface LaneHub {
  /**
   * Calls the listener with the number of the lane's last event after each change; null if changes may have been
   * missed.
   */
  listen(sessionId: string, listener: (seq: number | null) => void): () => void;
  /** Calls the listener for every signal, about any session. */
  listenAll(listener: (signal: Signal) => void): () => void;
  signal(signal: Signal): void;
}

export function createLaneHub(): LaneHub {
  const bySession = new Map<string, Set<(seq: number | null) => void>>();
  const all = new Set<(signal: Signal) => void>();
  return {
    listen: (sessionId, listener) => {
      const listeners = bySession.get(sessionId) ?? new Set();
      bySession.set(sessionId, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && bySession.get(sessionId) === listeners) {
          bySession.delete(sessionId);
        }
      };
    },
    listenAll: (listener) => {
      all.add(listener);
      return () => all.delete(listener);
    },
    signal: (signal) => {
      if (signal.kind === "lane") {
        for (const listener of bySession.get(signal.sessionId) ?? []) listener(signal.seq);
      } else {
        for (const listeners of bySession.values()) {
          for (const listener of listeners) listener(null);
        }
      }
      for (const listener of all) listener(signal);
    },
  };
}
