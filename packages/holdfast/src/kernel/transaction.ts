import { accountsNeeded } from "./account.ts";
import type { Account, AccountChange } from "./account.ts";
import type { Command } from "./command.ts";
import { decide } from "./decide.ts";
import type { Send } from "./draft.ts";
import type { LaneEvent, Receipt } from "./event.ts";
import { startingPrompt } from "./decide/inherit.ts";
import { namedBy } from "./facts.ts";
import type { Facts, Named, OwnerLease, ParentRun } from "./facts.ts";
import { askChange, changedRow, foldRow, ledgerChange, workChange } from "./ledger.ts";
import type { AskRow, LedgerRow, RowChange, WorkRow } from "./ledger.ts";
import type { Refusal } from "./refusal.ts";
import { activeRun, addUsage } from "./state.ts";
import type { LaneState } from "./state.ts";
import { resultsUnder } from "./tree.ts";
import { ancestorsOf, descendantsOf } from "./walk.ts";
import type { Descendant, ReadLane } from "./walk.ts";

// One transaction over one or more lanes: a command, and what its events send to other lanes. It is
// a generator that asks for what it has to read, so that a synchronous and an asynchronous store run
// the same rules; and it keeps what earlier commands of a batch wrote, so that later ones see it.

/** What the store is asked to read, inside its transaction. */
export type Load = LaneLoad | AccountsLoad;

export interface LaneLoad extends Named {
  readonly sessionId: string;
  /** Whose lease is asked for; null for that of the owner whom the lane's stored state names. */
  readonly ownerId: string | null;
  /** Nothing is decided on it alone: the lane need not stand still until the commit. */
  readonly peek?: true;
}

/** Rows that other lanes write as well. Unless a change is a charge alone, nobody else may come between. */
export interface AccountsLoad {
  readonly accountIds: readonly string[];
}

export interface Loaded {
  readonly state: LaneState | null;
  /** Of `ownerId`, or of the stored state's owner; not alive where there is none. */
  readonly owner: OwnerLease;
  readonly prompt: LedgerRow | null;
  readonly receipt: Receipt | null;
  readonly ask: AskRow | null;
  readonly work: WorkRow | null;
  /** The answer to an AccountsLoad, whose other fields are empty: those that exist. */
  readonly accounts?: readonly Account[];
}

/** The answer to an AccountsLoad. */
export function loadedAccounts(accounts: readonly Account[]): Loaded {
  const owner = { alive: false, lostAt: null };
  return { state: null, owner, prompt: null, receipt: null, ask: null, work: null, accounts };
}

/** What a batch has read and wants written of one lane. */
export interface LaneBatch {
  /** The log's end when the lane was read: the version that an optimistic write compares. */
  readonly base: number;
  readonly state: LaneState | null;
  /** The process whose lease was read, and that lease: the batch itself may change the owner. */
  readonly ownerId: string | null;
  readonly owner: OwnerLease;
  readonly events: readonly LaneEvent[];
  /** Receipts to keep, also those of cancels that left no event. */
  readonly receipts: readonly Receipt[];
  readonly prompts: ReadonlyMap<string, LedgerRow | null>;
  readonly asks: ReadonlyMap<string, AskRow | null>;
  readonly works: ReadonlyMap<string, WorkRow | null>;
  readonly cancels: ReadonlyMap<string, Receipt | null>;
}

export interface Batch {
  lanes: ReadonlyMap<string, LaneBatch>;
  /** What it has read and wants written of accounts. */
  accounts: ReadonlyMap<string, AccountBatch>;
}

export interface AccountBatch {
  /** As it is by now; null: there is none. */
  readonly account: Account | null;
  /** What the batch does to it; null: nothing. */
  readonly change: AccountChange | null;
}

/** In order of id, so that two transactions write the same rows in the same order. */
export function changesOfAccounts({ accounts }: Batch): readonly AccountChange[] {
  const changes = [...accounts.values()].flatMap(({ change }) => change ?? []);
  return changes.toSorted((left, right) => (left.account.id < right.account.id ? -1 : 1));
}

export type Answer = Done | { readonly status: "refused"; readonly refusal: Refusal };

export interface Done {
  readonly status: "done";
  /** The named lane's events; empty when the command had been carried out before. */
  readonly events: readonly LaneEvent[];
  /** What came of all that it sent, in other lanes or back in this one, in its order. */
  readonly sent: readonly SentEvents[];
  /** The lane after it. Its `seq` is the version that the next write builds on. */
  readonly state: LaneState;
  readonly receipt: Receipt | null;
  /** The ledger entry of the prompt that the command names. */
  readonly prompt: LedgerRow | null;
  readonly ask: AskRow | null;
  /** The exclusive work that the command names. */
  readonly work: WorkRow | null;
}

export interface SentEvents {
  readonly directory: string;
  readonly events: readonly LaneEvent[];
}

export function openBatch(): Batch {
  return { lanes: new Map(), accounts: new Map() };
}

/** Runs one command in the batch. A refusal or an exception leaves the batch as it was. */
export function* execute(batch: Batch, command: Command): Generator<Load, Answer, Loaded> {
  const lanes = new Map(batch.lanes);
  const accounts = new Map(batch.accounts);
  const open = { lanes, accounts };
  const first = yield* apply(open, command);
  if (first.status === "refused") return first;
  const sends = [...first.sends];
  const sent: SentEvents[] = [];
  for (let send = sends.shift(); send !== undefined; send = sends.shift()) {
    const result = yield* apply(open, send.command);
    if (result.status === "decided") {
      sends.push(...result.sends);
      sent.push({ directory: result.state.directory, events: result.events });
    } else if (send.otherwise !== null) sends.push({ command: send.otherwise, otherwise: null });
  }
  batch.lanes = lanes;
  batch.accounts = accounts;
  const lane = lanes.get(command.sessionId);
  if (lane?.state === undefined || lane.state === null)
    throw new Error("a decided lane has a state");
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

type Applied =
  | {
      readonly status: "decided";
      readonly state: LaneState;
      readonly events: readonly LaneEvent[];
      readonly sends: readonly Send[];
      readonly receipt: Receipt | null;
    }
  | { readonly status: "refused"; readonly refusal: Refusal };

interface OpenBatch {
  readonly lanes: Map<string, LaneBatch>;
  readonly accounts: Map<string, AccountBatch>;
}

function* apply(
  { lanes, accounts }: OpenBatch,
  command: Command,
): Generator<Load, Applied, Loaded> {
  const named = namedBy(command);
  const { sessionId } = command;
  let lane = yield* loadLane(lanes, { sessionId, ...named });
  const ownerId = lane.state?.active?.owner ?? null;
  if (command.type === "lane.takeover" && ownerId !== lane.ownerId) {
    const { owner } = yield { sessionId, ownerId, ...namesNothing };
    lane = { ...lane, ownerId, owner };
  }
  const facts: Facts = {
    prompt: rowOf(lane.prompts, named.promptId),
    receipt: rowOf(lane.cancels, named.cancelId),
    ask: rowOf(lane.asks, named.askId),
    work: rowOf(lane.works, named.workId),
    owner: lane.owner,
    ...(yield* childFacts(lanes, command)),
    descendants: mayStopTree(command, lane) ? yield* liveBelow(lanes, lane.state) : [],
    parent: command.type === "run.start" ? yield* parentOf(lanes, lane.state, command.at) : null,
    treeSize: command.type === "child.link" ? yield* treeSizeOf(lanes, lane.state) : 0,
    accounts: yield* loadAccounts(accounts, accountsNeeded(lane.state, command)),
  };
  const decision = decide(lane.state, command, facts);
  if (decision.status === "refused") return decision;
  lanes.set(command.sessionId, written(lane, decision));
  for (const change of decision.accounts) putChange(accounts, change);
  return decision;
}

function putChange(accounts: Map<string, AccountBatch>, change: AccountChange): void {
  const { account } = change;
  const before = accounts.get(account.id)?.change ?? null;
  const charge = before === null ? change.charge : addUsage(before.charge, change.charge);
  const isChargeOnly = change.isChargeOnly && before?.isChargeOnly !== false;
  accounts.set(account.id, { account, change: { account, charge, isChargeOnly } });
}

function* loadAccounts(
  accounts: Map<string, AccountBatch>,
  ids: readonly string[],
): Generator<Load, readonly Account[], Loaded> {
  const accountIds = ids.filter((id) => !accounts.has(id));
  if (accountIds.length > 0) {
    const loaded = yield { accountIds };
    for (const id of accountIds) {
      const account = loaded.accounts?.find((candidate) => candidate.id === id) ?? null;
      accounts.set(id, { account, change: null });
    }
  }
  return ids.flatMap((id) => accounts.get(id)?.account ?? []);
}

/** Reads the lane, or only those named rows of it that the batch does not have yet. */
function* loadLane(
  lanes: Map<string, LaneBatch>,
  load: Omit<LaneLoad, "ownerId">,
): Generator<Load, LaneBatch, Loaded> {
  const { sessionId, promptId, cancelId, askId, workId } = load;
  const known = lanes.get(sessionId);
  const complete =
    known !== undefined &&
    (promptId === null || known.prompts.has(promptId)) &&
    (cancelId === null || known.cancels.has(cancelId)) &&
    (askId === null || known.asks.has(askId)) &&
    (workId === null || known.works.has(workId));
  if (complete) return known;
  const loaded = yield { ...load, ownerId: null };
  const base: LaneBatch = known ?? {
    base: loaded.state?.seq ?? 0,
    state: loaded.state,
    ownerId: loaded.state?.active?.owner ?? null,
    owner: loaded.owner,
    events: [],
    receipts: [],
    prompts: new Map(),
    asks: new Map(),
    works: new Map(),
    cancels: new Map(),
  };
  // The store read its rows as committed: what the batch has done since is not in them.
  const prompt = foldRow(loaded.prompt, promptId, base.events.map(ledgerChange));
  const ask = foldRow(loaded.ask, askId, base.events.map(askChange));
  const work = foldRow(loaded.work, workId, base.events.map(workChange));
  const lane: LaneBatch = {
    ...base,
    prompts: withRow(base.prompts, promptId, prompt),
    cancels: withRow(base.cancels, cancelId, loaded.receipt),
    asks: withRow(base.asks, askId, ask),
    works: withRow(base.works, workId, work),
  };
  lanes.set(sessionId, lane);
  return lane;
}

function* childFacts(
  lanes: Map<string, LaneBatch>,
  command: Command,
): Generator<Load, Pick<Facts, "childDirectory" | "waits">, Loaded> {
  if (command.type !== "child.link") return { childDirectory: null, waits: [] };
  const sessionId = command.childSessionId;
  const { state } = yield* loadLane(lanes, { sessionId, ...namesNothing });
  return { childDirectory: state?.directory ?? null, waits: yield* waitsOf(lanes, sessionId) };
}

/** The run that sent the prompt which would start now, if it is still active (M7). */
function* parentOf(
  lanes: Map<string, LaneBatch>,
  state: LaneState | null,
  at: number,
): Generator<Load, ParentRun | null, Loaded> {
  const link = state === null ? null : (startingPrompt(state, at)?.parent ?? null);
  if (link === null) return null;
  const { sessionId } = link;
  const lane = yield* loadLane(lanes, { sessionId, ...namesNothing });
  const run = lane.state === null ? null : activeRun(lane.state);
  if (lane.state === null || run?.runId !== link.runId) return null;
  const { directory, holds } = lane.state;
  const ownerId = run.owner;
  // The batch itself may have changed the owner.
  const isRead = ownerId === null || ownerId === lane.ownerId;
  const { owner } = isRead ? lane : yield { sessionId, ownerId, ...namesNothing };
  return { run, directory, owner, isHeld: holds.some(({ kind }) => kind === "recovery") };
}

/** The sessions whose runs must end before the given session's active run can. */
function* waitsOf(
  lanes: Map<string, LaneBatch>,
  sessionId: string,
): Generator<Load, string[], Loaded> {
  const reached: string[] = [];
  const open = [sessionId];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const lane = yield* loadLane(lanes, { sessionId: next, ...namesNothing });
    const run = lane.state === null ? null : activeRun(lane.state);
    for (const child of run?.children ?? []) {
      if (child.outcome !== null || reached.includes(child.sessionId)) continue;
      reached.push(child.sessionId);
      open.push(child.sessionId);
    }
  }
  return reached;
}

/** A cancel names what lives below the lane, also an interrupting prompt's; once, under its id. */
function mayStopTree(command: Command, lane: LaneBatch): boolean {
  if (command.type === "prompt.accept") return command.delivery === "interrupt";
  if (command.type !== "cancel" || command.scope.kind === "queue") return false;
  return (lane.cancels.get(command.cancelId) ?? null) === null;
}

function* liveBelow(
  lanes: Map<string, LaneBatch>,
  state: LaneState | null,
): Generator<Load, readonly Descendant[], Loaded> {
  if (state === null) return [];
  return yield* descendantsOf(state, function* read(sessionId, promptId) {
    const lane = yield* loadLane(lanes, { sessionId, ...namesNothing, promptId });
    return { state: lane.state, prompt: rowOf(lane.prompts, promptId) };
  });
}

/** Only looks: a tree that grows in two places at once may pass its limit by a few. */
function* treeSizeOf(
  lanes: Map<string, LaneBatch>,
  state: LaneState | null,
): Generator<Load, number, Loaded> {
  const run = state === null ? null : activeRun(state);
  if (state === null || run === null) return 0;
  const peeked = new Map<string, LaneState | null>([[state.sessionId, state]]);
  const read: ReadLane = function* (sessionId, promptId) {
    const lane = lanes.get(sessionId);
    const isKnown = lane !== undefined && (promptId === null || lane.prompts.has(promptId));
    if (isKnown) return { state: lane.state, prompt: rowOf(lane.prompts, promptId) };
    const known = lane?.state ?? peeked.get(sessionId);
    if (known !== undefined && promptId === null) return { state: known, prompt: null };
    const loaded = yield { sessionId, ownerId: null, ...namesNothing, promptId, peek: true };
    const read = lane?.state ?? loaded.state;
    peeked.set(sessionId, read);
    return { state: read, prompt: loaded.prompt };
  };
  const own = { sessionId: state.sessionId, promptId: run.startedBy };
  const top = (yield* ancestorsOf(own, read)).at(-1) ?? own;
  const lane = (yield* read(top.sessionId, null)).state;
  if (lane === null) return 0;
  const below = yield* descendantsOf(lane, read);
  const descends = below.filter(({ via }) => via.origin === top.promptId);
  return descends.length + resultsUnder(lane, top.promptId).length;
}

function written(
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

/** Rows that were not read stay unread: the store merges the change into them when it writes. */
function patch<Row>(rows: Map<string, Row | null>, change: RowChange<Row> | null): void {
  if (change === null) return;
  const next = changedRow(rows.get(change.id) ?? null, change);
  if (next !== null) rows.set(change.id, next);
}

const namesNothing: Named = { promptId: null, cancelId: null, askId: null, workId: null };

function withRow<Row>(
  rows: ReadonlyMap<string, Row | null>,
  id: string | null,
  row: Row | null,
): ReadonlyMap<string, Row | null> {
  return id === null || rows.has(id) ? rows : new Map(rows).set(id, row);
}

function rowOf<Row>(rows: ReadonlyMap<string, Row | null>, id: string | null): Row | null {
  return id === null ? null : (rows.get(id) ?? null);
}
