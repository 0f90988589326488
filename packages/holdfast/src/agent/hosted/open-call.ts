import type { TurnEvent } from "./foreign-session.ts";
import type { CallUpdate } from "./updates.ts";

/** A call of a hosted agent that the turn has recorded. */
export interface OpenCall {
  readonly callId: string;
  known: CallUpdate;
  /** Number of output characters that were already streamed to viewers. */
  shown: number;
  asks: number;
  /** The permission request that waits for an answer; null: none. */
  asking: PermissionEvent | null;
  gate: "open" | "asking" | "denied";
  started: boolean;
  ended: boolean;
  /** True if the agent has withdrawn its permission request, so that a new request is a new call. */
  withdrawn: boolean;
}

export type PermissionEvent = Extract<TurnEvent, { type: "permission" }>;

export function newCall(callId: string, known: CallUpdate): OpenCall {
  const state = { started: false, ended: false, withdrawn: false };
  return { callId, known, shown: 0, asks: 0, asking: null, gate: "open", ...state };
}
