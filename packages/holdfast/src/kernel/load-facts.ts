import { accountsNeeded } from "./account.ts";
import type { Account } from "./account.ts";
import type { Command } from "./command.ts";
import { startingPrompt } from "./attention.ts";
import { namedBy } from "./facts.ts";
import type { Facts, Named, ParentRun } from "./facts.ts";
import { askChange, foldRow, ledgerChange, workChange } from "./ledger.ts";
import { activeRun } from "./state.ts";
import type { LaneState } from "./state.ts";
import type { AccountBatch, LaneBatch, LaneLoad, Load, Loaded } from "./transaction.ts";
import { resultsUnder } from "./tree.ts";
import { ancestorsOf, descendantsOf } from "./walk.ts";
import type { Descendant, ReadLane } from "./walk.ts";

/** The lanes and accounts that a batch has read, including the changes of its earlier commands. */
export interface OpenBatch {
  readonly lanes: Entries<LaneBatch>;
  readonly accounts: Entries<AccountBatch>;
}

export interface Entries<Value> {
  get(id: string): Value | undefined;
  set(id: string, value: Value): void;
}

/** Loads the command's lane and all other data that the decision may read. */
export function* loadFacts(
  { lanes, accounts }: OpenBatch,
  command: Command,
): Generator<Load, { lane: LaneBatch; facts: Facts }, Loaded> {
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
  return { lane, facts };
}

function* loadAccounts(
  accounts: Entries<AccountBatch>,
  ids: readonly string[],
): Generator<Load, readonly Account[], Loaded> {
  const accountIds = ids.filter((id) => accounts.get(id) === undefined);
  if (accountIds.length > 0) {
    const loaded = yield { accountIds };
    for (const id of accountIds) {
      const account = loaded.accounts?.find((candidate) => candidate.id === id) ?? null;
      accounts.set(id, { account, change: null });
    }
  }
  return ids.flatMap((id) => accounts.get(id)?.account ?? []);
}

/** Reads the lane, and the rows with the ids in `load`. Reads nothing if the batch already contains all these rows. */
function* loadLane(
  lanes: Entries<LaneBatch>,
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
  // The store returned committed rows, so apply the batch's own uncommitted events to them.
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
  lanes: Entries<LaneBatch>,
  command: Command,
): Generator<Load, Pick<Facts, "childDirectory" | "waits">, Loaded> {
  if (command.type !== "child.link") return { childDirectory: null, waits: [] };
  const sessionId = command.childSessionId;
  const { state } = yield* loadLane(lanes, { sessionId, ...namesNothing });
  return { childDirectory: state?.directory ?? null, waits: yield* waitsOf(lanes, sessionId) };
}

/** Returns the run that sent the next prompt, if that run is still active (M7). */
function* parentOf(
  lanes: Entries<LaneBatch>,
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
  // If an earlier command of the batch changed the owner, the lease of the new owner must be read.
  const isRead = ownerId === null || ownerId === lane.ownerId;
  const { owner } = isRead ? lane : yield { sessionId, ownerId, ...namesNothing };
  return { run, directory, owner, isHeld: holds.some(({ kind }) => kind === "recovery") };
}

/** Lists the sessions whose runs must end before the given session's active run can end. */
function* waitsOf(lanes: Entries<LaneBatch>, sessionId: string): Generator<Load, string[], Loaded> {
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

/**
 * True if the command may stop active child sessions: an interrupting prompt,
 * or a cancel (of more than the queue) that was not executed before.
 */
function mayStopTree(command: Command, lane: LaneBatch): boolean {
  if (command.type === "prompt.accept") return command.delivery === "interrupt";
  if (command.type !== "cancel" || command.scope.kind === "queue") return false;
  return (lane.cancels.get(command.cancelId) ?? null) === null;
}

function* liveBelow(
  lanes: Entries<LaneBatch>,
  state: LaneState | null,
): Generator<Load, readonly Descendant[], Loaded> {
  if (state === null) return [];
  return yield* descendantsOf(state, function* read(sessionId, promptId) {
    const lane = yield* loadLane(lanes, { sessionId, ...namesNothing, promptId });
    return { state: lane.state, prompt: rowOf(lane.prompts, promptId) };
  });
}

/**
 * Counts the live prompts of a tree without locking. If two runs add children concurrently, the tree may exceed its
 * limit by a few.
 */
function* treeSizeOf(
  lanes: Entries<LaneBatch>,
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

const namesNothing: Named = { promptId: null, cancelId: null, askId: null, workId: null };

function withRow<Row>(
  rows: ReadonlyMap<string, Row | null>,
  id: string | null,
  row: Row | null,
): ReadonlyMap<string, Row | null> {
  return id === null || rows.has(id) ? rows : new Map(rows).set(id, row);
}

export function rowOf<Row>(rows: ReadonlyMap<string, Row | null>, id: string | null): Row | null {
  return id === null ? null : (rows.get(id) ?? null);
}
