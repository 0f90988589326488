import type { Account, AccountChange } from "./account.ts";
import type { Command } from "./command.ts";
import { decide } from "./decide.ts";
import type { Send } from "./draft.ts";
import type { LaneEvent, Receipt } from "./event.ts";
import { loadFacts, rowOf } from "./load-facts.ts";
import type { Entries, OpenBatch } from "./load-facts.ts";
import { namedBy } from "./facts.ts";
import type { Named, OwnerLease } from "./facts.ts";
import { askChange, changedRow, ledgerChange, workChange } from "./ledger.ts";
import type { AskRow, LedgerRow, RowChange, WorkRow } from "./ledger.ts";
import type { Refusal } from "./refusal.ts";
import { addUsage } from "./state.ts";
import type { LaneState } from "./state.ts";

// One transaction over one or more lanes: a command, and the commands that its events send to other lanes. It
// is a generator that yields read requests, so that synchronous and asynchronous stores run the same rules.
// Later commands of a batch see the writes of earlier ones.

/** A read that the store must do inside its transaction. */
export type Load = LaneLoad | AccountsLoad;

export interface LaneLoad extends Named {
  readonly sessionId: string;
  /** The process whose lease is read; null: the owner in the lane's stored state. */
  readonly ownerId: string | null;
  /** True: read without a lock. The lane may change before the commit; use it only if that does no harm. */
  readonly peek?: true;
}

/** Account rows to read. Several lanes write them, so any change other than a charge needs a lock on the row. */
export interface AccountsLoad {
  readonly accountIds: readonly string[];
}

/**
 * The store's answer to a Load. Both kinds of Load have the same answer type, because every `yield` of a generator
 * returns the same type.
 */
export interface Loaded {
  readonly state: LaneState | null;
  /** Lease of `ownerId` or, if that is null, of the owner in the stored state. Without an owner, `alive` is false. */
  readonly owner: OwnerLease;
  readonly prompt: LedgerRow | null;
  readonly receipt: Receipt | null;
  readonly ask: AskRow | null;
  readonly work: WorkRow | null;
  /**
   * Set only in the answer to an AccountsLoad: the accounts that exist. `loadedAccounts` fills the other fields of that
   * answer with placeholders, which are never read.
   */
  readonly accounts?: readonly Account[];
}

/** Builds the answer to an AccountsLoad. */
export function loadedAccounts(accounts: readonly Account[]): Loaded {
  const owner = { alive: false, lostAt: null };
  return { state: null, owner, prompt: null, receipt: null, ask: null, work: null, accounts };
}

/** Data of one lane that a batch has read, and the changes that it will write. */
export interface LaneBatch {
  /** `seq` of the lane when it was read: the version that an optimistic write compares. */
  readonly base: number;
  readonly state: LaneState | null;
  /** Id of the process that `owner` describes. `state` has another owner if this batch has changed the lane's owner. */
  readonly ownerId: string | null;
  readonly owner: OwnerLease;
  readonly events: readonly LaneEvent[];
  /** Receipts to store, including those of cancels without events. */
  readonly receipts: readonly Receipt[];
  readonly prompts: ReadonlyMap<string, LedgerRow | null>;
  readonly asks: ReadonlyMap<string, AskRow | null>;
  readonly works: ReadonlyMap<string, WorkRow | null>;
  readonly cancels: ReadonlyMap<string, Receipt | null>;
}

export interface Batch {
  readonly lanes: Map<string, LaneBatch>;
  /** Accounts that the batch has read, and their changes. */
  readonly accounts: Map<string, AccountBatch>;
}

export interface AccountBatch {
  /** The account including this batch's changes; null if it does not exist. */
  readonly account: Account | null;
  /** This batch's change of the account; null if there is none. */
  readonly change: AccountChange | null;
}

/** Returns the account changes sorted by id, so that two transactions write the same rows in the same order. */
export function changesOfAccounts({ accounts }: Pick<Batch, "accounts">): readonly AccountChange[] {
  const changes = [...accounts.values()].flatMap(({ change }) => change ?? []);
  return changes.toSorted((left, right) => (left.account.id < right.account.id ? -1 : 1));
}

export type Answer = Done | { readonly status: "refused"; readonly refusal: Refusal };

export interface Done {
  readonly status: "done";
  /** Events of the command's lane; empty if the command is a repetition. */
  readonly events: readonly LaneEvent[];
  /** Events of all commands that this command sent, to other lanes or its own, in order. */
  readonly sent: readonly SentEvents[];
  /** The lane's state after the command. Its `seq` is the version that the next write builds on. */
  readonly state: LaneState;
  readonly receipt: Receipt | null;
  /** Ledger row of the command's prompt. */
  readonly prompt: LedgerRow | null;
  readonly ask: AskRow | null;
  /** Row of the exclusive operation that the command names. */
  readonly work: WorkRow | null;
}

export interface SentEvents {
  readonly directory: string;
  readonly events: readonly LaneEvent[];
}

export function openBatch(): Batch {
  return { lanes: new Map(), accounts: new Map() };
}

/** Runs one command in the batch. A refusal or an exception leaves the batch unchanged. */
export function* execute(batch: Batch, command: Command): Generator<Load, Answer, Loaded> {
  const lanes = overlay(batch.lanes);
  const accounts = overlay(batch.accounts);
  const open = { lanes, accounts };
  const first = yield* apply(open, command);
  if (first.status === "refused") return first;
  const sends = [...first.sends];
  const sent: SentEvents[] = [];
  // A refused send does not refuse the command that sent it. Instead of the refused send, `otherwise` is sent, if there
  // is one.
  for (let send = sends.shift(); send !== undefined; send = sends.shift()) {
    const result = yield* apply(open, send.command);
    if (result.status === "decided") {
      sends.push(...result.sends);
      sent.push({ directory: result.state.directory, events: result.events });
    } else if (send.otherwise !== null) sends.push({ command: send.otherwise, otherwise: null });
  }
  lanes.merge();
  accounts.merge();
  const lane = lanes.get(command.sessionId);
  if (lane?.state === undefined || lane.state === null)
    throw new Error("a command was executed, but its session has no state; please report this bug");
  const { promptId, askId, workId } = namedBy(command);
  return {
    status: "done",
    events: first.events,
    sent,
    state: lane.state,
    receipt: first.receipt,
    prompt: rowOf(lane.prompts, promptId),
    ask: rowOf(lane.asks, askId),
    work: rowOf(lane.works, workId),
  };
}

/** Entries of `base`, and changes that `base` gets only with `merge`. Copying `base` would be slow in large batches. */
function overlay<Value>(base: Map<string, Value>): Entries<Value> & { merge(): void } {
  const changes = new Map<string, Value>();
  return {
    get: (id) => changes.get(id) ?? base.get(id),
    set: (id, value) => void changes.set(id, value),
    merge: () => changes.forEach((value, id) => base.set(id, value)),
  };
}

type Applied =
  | {
      readonly status: "decided";
      readonly state: LaneState;
      readonly events: readonly LaneEvent[];
      readonly sends: readonly Send[];
      readonly receipt: Receipt | null;
    }
  | { readonly status: "refused"; readonly refusal: Refusal };

function* apply(
  { lanes, accounts }: OpenBatch,
  command: Command,
): Generator<Load, Applied, Loaded> {
  const { lane, facts } = yield* loadFacts({ lanes, accounts }, command);
  const decision = decide(lane.state, command, facts);
  if (decision.status === "refused") return decision;
  lanes.set(command.sessionId, withDecision(lane, decision));
  for (const change of decision.accounts) putChange(accounts, change);
  return decision;
}

function putChange(accounts: Entries<AccountBatch>, change: AccountChange): void {
  const { account } = change;
  const before = accounts.get(account.id)?.change ?? null;
  const charge = before === null ? change.charge : addUsage(before.charge, change.charge);
  const isChargeOnly = change.isChargeOnly && before?.isChargeOnly !== false;
  accounts.set(account.id, { account, change: { account, charge, isChargeOnly } });
}

/** Adds a decision's events, and the rows that they change, to the lane's part of the batch. */
function withDecision(
  lane: LaneBatch,
  decision: { state: LaneState; events: readonly LaneEvent[]; receipt: Receipt | null },
): LaneBatch {
  const prompts = new Map(lane.prompts);
  const asks = new Map(lane.asks);
  const works = new Map(lane.works);
  for (const event of decision.events) {
    patch(prompts, ledgerChange(event));
    patch(asks, askChange(event));
    patch(works, workChange(event));
  }
  const { receipt } = decision;
  const isNew = receipt !== null && (lane.cancels.get(receipt.cancelId) ?? null) === null;
  return {
    ...lane,
    state: decision.state,
    events: [...lane.events, ...decision.events],
    receipts: isNew ? [...lane.receipts, receipt] : lane.receipts,
    cancels: isNew ? new Map(lane.cancels).set(receipt.cancelId, receipt) : lane.cancels,
    prompts,
    asks,
    works,
  };
}

/** Applies a change to a row of the batch. Skips a row that was not read: the store merges the change when it writes. */
function patch<Row>(rows: Map<string, Row | null>, change: RowChange<Row> | null): void {
  if (change === null) return;
  const next = changedRow(rows.get(change.id) ?? null, change);
  if (next !== null) rows.set(change.id, next);
}
