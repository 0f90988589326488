import { activeRun } from "../kernel/state.ts";
import type { LaneState } from "../kernel/state.ts";
import type { Slot } from "./slots.ts";

/**
 * Lets one run at a time try again after a crash, so that a run that kills its process takes no
 * second one with it (R3). The gate opens when the run has a new step, waits, or is gone.
 */
export interface RecoveryGate {
  isOpen(): boolean;
  /** The session's run is to try again. False when another one is at it. */
  enter(sessionId: string): boolean;
  leave(sessionId: string): void;
  /** Its run may have shown by now that it is harmless. */
  look(state: LaneState): void;
  /** A slot that opens the gate when it is lent: a run that waits does no harm. */
  guard(sessionId: string, slot: Slot): Slot;
}

export function createRecoveryGate(onOpen: () => void): RecoveryGate {
  let inside: string | null = null;
  const leave = (sessionId: string): void => {
    if (inside !== sessionId) return;
    inside = null;
    onOpen();
  };
  return {
    isOpen: () => inside === null,
    enter: (sessionId) => {
      if (inside !== null) return false;
      inside = sessionId;
      return true;
    },
    leave,
    look: (state) => {
      if (activeRun(state)?.tries.sinceStep === 0) leave(state.sessionId);
    },
    guard: (sessionId, slot) => ({
      ...slot,
      lend: () => {
        leave(sessionId);
        return slot.lend();
      },
    }),
  };
}
