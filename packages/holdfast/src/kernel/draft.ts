import type { Account, AccountChange } from "./account.ts";
import type { Command, CommandData, CommandEnvelope } from "./command.ts";
import type { EventData, LaneEvent, Receipt } from "./event.ts";
import { evolve } from "./evolve.ts";
import type { Refused } from "./refusal.ts";
import { addUsage, noUsage } from "./state.ts";
import type { Ancestor, LaneState, Usage } from "./state.ts";
import { isAncestor } from "./tree.ts";
import { refuse } from "./refusal.ts";

/** A command for another lane, executed in the same transaction as the events that caused it. */
export interface Send {
  readonly command: Command;
  /** Command to send instead if this one is refused, so that the lane that waits for the outcome still gets it. */
  readonly otherwise: Command | null;
}

/** The result of a command while it is being decided. Each event changes `state` at once, so later rules see it. */
export interface Draft {
  readonly envelope: CommandEnvelope;
  state: LaneState;
  readonly events: LaneEvent[];
  readonly sends: Send[];
  /** Current accounts, by id. */
  readonly accounts: Map<string, Account>;
  readonly changes: Map<string, AccountChange>;
  receipt: Receipt | null;
}

export type Decision = Decided | Refused;

export interface Decided {
  readonly status: "decided";
  readonly state: LaneState;
  /** Empty if the command is a repetition or has no effect. */
  readonly events: readonly LaneEvent[];
  readonly sends: readonly Send[];
  readonly accounts: readonly AccountChange[];
  /** Receipt of a cancel. It is stored under the cancel's id, even if there are no events (C3, C4). */
  readonly receipt: Receipt | null;
}

export function openDraft(state: LaneState, command: Command, accounts: readonly Account[]): Draft {
  const { sessionId, actor, at } = command;
  return {
    envelope: { sessionId, actor, at },
    state,
    events: [],
    sends: [],
    accounts: new Map(accounts.map((account) => [account.id, account])),
    changes: new Map(),
    receipt: null,
  };
}

export function decided(draft: Draft): Decided {
  return {
    status: "decided",
    state: draft.state,
    events: draft.events,
    sends: draft.sends,
    accounts: [...draft.changes.values()],
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
  const { ancestors } = draft.state;
  draft.state = evolve(draft.state, event);
  for (const ancestor of ancestors) {
    if (!isAncestor(draft.state, ancestor.promptId)) endBranch(draft, ancestor);
  }
}

export function putAccount(draft: Draft, account: Account): void {
  const charge = draft.changes.get(account.id)?.charge ?? noUsage;
  draft.accounts.set(account.id, account);
  draft.changes.set(account.id, { account, charge, isChargeOnly: false });
}

export function chargeAccount(draft: Draft, before: Account, usage: Usage): void {
  const { id } = before;
  const account = { ...before, spent: addUsage(before.spent, usage) };
  const isChargeOnly = draft.changes.get(id)?.isChargeOnly ?? draft.accounts.has(id);
  const charge = addUsage(draft.changes.get(id)?.charge ?? noUsage, usage);
  draft.accounts.set(id, account);
  draft.changes.set(id, { account, charge, isChargeOnly });
}

/**
 * Tells the parent's lane that the prompt has no live descendants any more, so that the parent's lane can drop its link
 * to the prompt.
 */
function endBranch(draft: Draft, { promptId, parent }: Ancestor): void {
  if (parent === null) return;
  const { sessionId } = draft.envelope;
  const data = { type: "branch.end", childSessionId: sessionId, childPromptId: promptId } as const;
  send(draft, { to: parent.sessionId, data });
}

interface Message {
  readonly to: string;
  readonly data: CommandData;
}

export function send(draft: Draft, message: Message & { otherwise?: Message }): void {
  const { actor, at } = draft.envelope;
  const command = ({ to, data }: Message): Command => ({ sessionId: to, actor, at, ...data });
  const { otherwise } = message;
  draft.sends.push({
    command: command(message),
    otherwise: otherwise === undefined ? null : command(otherwise),
  });
}

/** Refuses every command to a deleted session (M8). */
export function checkOpen(draft: Draft): Refused | null {
  if (draft.state.status === "open") return null;
  return refuse({ code: "deleted" }, "the session was deleted; create another one");
}
