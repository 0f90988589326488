import type { Command, CommandData, CommandEnvelope } from "./command.ts";
import type { EventData, LaneEvent, Receipt } from "./event.ts";
import { evolve } from "./evolve.ts";
import type { Refused } from "./refusal.ts";
import type { LaneState } from "./state.ts";

/** A command for another lane, carried out in the same transaction as the events that caused it. */
export interface Send {
  readonly command: Command;
  /** Sent in its place when it is refused, so that whoever waits for its effect is still told. */
  readonly otherwise: Command | null;
}

/** A decision being made: each event is folded in at once, so that the next rule sees its effect. */
export interface Draft {
  readonly envelope: CommandEnvelope;
  state: LaneState;
  readonly events: LaneEvent[];
  readonly sends: Send[];
  receipt: Receipt | null;
}

export type Decision = Decided | Refused;

export interface Decided {
  readonly status: "decided";
  readonly state: LaneState;
  /** Empty when the command had been carried out before, or had nothing to do. */
  readonly events: readonly LaneEvent[];
  readonly sends: readonly Send[];
  /** Kept under its cancel id, also when there are no events (C3, C4). */
  readonly receipt: Receipt | null;
}

export function openDraft(state: LaneState, command: Command): Draft {
  const { sessionId, actor, at } = command;
  return { envelope: { sessionId, actor, at }, state, events: [], sends: [], receipt: null };
}

export function decided(draft: Draft): Decided {
  return {
    status: "decided",
    state: draft.state,
    events: draft.events,
    sends: draft.sends,
    receipt: draft.receipt,
  };
}

export function emit(draft: Draft, data: EventData): void {
  const event: LaneEvent = {
    ...draft.envelope,
    seq: draft.state.seq + 1,
    version: 1,
    ...data,
  };
  draft.events.push(event);
  draft.state = evolve(draft.state, event);
}

export function send(
  draft: Draft,
  message: { to: string; data: CommandData; otherwise?: CommandData },
): void {
  const { actor, at } = draft.envelope;
  const own = draft.envelope.sessionId;
  draft.sends.push({
    command: { sessionId: message.to, actor, at, ...message.data },
    otherwise: message.otherwise ? { sessionId: own, actor, at, ...message.otherwise } : null,
  });
}
