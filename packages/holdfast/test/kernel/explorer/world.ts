import type { Account } from "../../../src/kernel/account.ts";
import type { Command } from "../../../src/kernel/command.ts";
import type { LaneEvent, Receipt } from "../../../src/kernel/event.ts";
import type { OwnerLease } from "../../../src/kernel/facts.ts";
import { askChange, ledgerChange, workChange } from "../../../src/kernel/ledger.ts";
import type { AskRow, LedgerRow, RowChange, WorkRow } from "../../../src/kernel/ledger.ts";
import type { LaneState } from "../../../src/kernel/state.ts";
import {
  changesOfAccounts,
  execute,
  loadedAccounts,
  openBatch,
} from "../../../src/kernel/transaction.ts";
import type { Answer, Batch, LaneBatch, Load, Loaded } from "../../../src/kernel/transaction.ts";
import * as make from "../support/commands.ts";
import type { Left, Scenario } from "./scenario.ts";

/** The stored data, the live processes, and the remaining allowances of outside events. No log is kept. */
export interface World {
  readonly now: number;
  readonly lanes: readonly WorldLane[];
  readonly accounts: ReadonlyMap<string, Account>;
  readonly left: Left;
  /** Number of prompts of each kind that have not been sent yet. */
  readonly unsent: readonly number[];
  /** True if a person has changed the order of the queue. */
  readonly moved: boolean;
  /** Prompts that a committed cancel covers and that are not settled yet (C2). */
  readonly doomed: readonly string[];
  /** For each child prompt the run that committed its id, once one has. */
  readonly linkedBy: Readonly<Record<string, string>>;
  /** For each child prompt the accounts above it, as the run that linked it knew them. */
  readonly inherited: Readonly<Record<string, readonly string[]>>;
  /** Prompts of other sessions that a committed cancel with tree covers: their outcomes start no run (C7). */
  readonly silenced: readonly string[];
}

export interface WorldLane {
  readonly sessionId: string;
  readonly state: LaneState | null;
  readonly prompts: ReadonlyMap<string, LedgerRow>;
  readonly receipts: ReadonlyMap<string, Receipt>;
  readonly asks: ReadonlyMap<string, AskRow>;
  readonly works: ReadonlyMap<string, WorkRow>;
  /** The process that would own the lane's next run; all with a lower number are dead. */
  readonly node: number;
  readonly lostAt: number | null;
}

export type Execute = typeof execute;

export const client = { kind: "client", id: "client" } as const;

/** A new session, after a cancel that came too early and covered nothing (C3). */
export function startWorld(scenario: Scenario): World {
  const ids = ["a", ...scenario.children.map(({ to }) => to)];
  let world: World = {
    now: 0,
    lanes: ids.map(emptyLane),
    accounts: new Map(),
    left: scenario.left,
    unsent: scenario.prompts.map((kind) => kind.count),
    moved: false,
    doomed: [],
    linkedBy: {},
    inherited: {},
    silenced: [],
  };
  for (const sessionId of ids) {
    if (scenario.children.some(({ to, create }) => to === sessionId && create)) continue;
    for (const data of [make.createSession(), make.cancel("early")]) {
      const command = { sessionId, actor: client, at: world.now, ...data };
      const { writes } = transact(world, command, execute);
      world = commit(world, writes);
    }
  }
  return world;
}

export interface Transaction {
  readonly answer: Answer;
  /** Writes for each lane that the command changes. */
  readonly writes: readonly LaneBatch[];
  readonly accounts: readonly Account[];
}

export function transact(world: World, command: Command, run: Execute): Transaction {
  const batch = openBatch();
  const answer = drive(world, run(batch, command));
  return {
    answer,
    writes: writesOf(batch),
    accounts: changesOfAccounts(batch).map(({ account }) => account),
  };
}

/** Several commands in one transaction: a group commit. */
export function transactAll(
  world: World,
  commands: readonly Command[],
  run: Execute,
): { answers: readonly Answer[] } & Omit<Transaction, "answer"> {
  const batch = openBatch();
  const answers = commands.map((command) => drive(world, run(batch, command)));
  const accounts = changesOfAccounts(batch).map(({ account }) => account);
  return { answers, writes: writesOf(batch), accounts };
}

function drive(world: World, generator: ReturnType<Execute>): Answer {
  let next = generator.next();
  while (!next.done) next = generator.next(read(world, next.value));
  return next.value;
}

function writesOf(batch: Batch): LaneBatch[] {
  const writes: LaneBatch[] = [];
  for (const lane of batch.lanes.values()) {
    if (lane.events.length > 0 || lane.receipts.length > 0) writes.push(lane);
  }
  return writes;
}

/** Writes as a store does: rows are merged from the events, the state is the decided one. */
export function commit(
  world: World,
  writes: readonly LaneBatch[],
  changed: readonly Account[] = [],
): World {
  const lanes = world.lanes.map((lane) => {
    const write = writes.find(({ state }) => state?.sessionId === lane.sessionId);
    return write === undefined ? lane : written(lane, write);
  });
  if (changed.length === 0) return { ...world, lanes };
  const accounts = new Map(world.accounts);
  for (const account of changed) accounts.set(account.id, account);
  return { ...world, lanes, accounts };
}

export function laneOf(world: World, sessionId: string): WorldLane | null {
  return world.lanes.find((lane) => lane.sessionId === sessionId) ?? null;
}

export function nodeName(lane: WorldLane): string {
  return `n${lane.node}`;
}

export function leaseOf(lane: WorldLane, owner = lane.state?.active?.owner ?? null): OwnerLease {
  if (owner === null) return { alive: false, lostAt: null };
  return owner === nodeName(lane)
    ? { alive: true, lostAt: null }
    : { alive: false, lostAt: lane.lostAt };
}

function emptyLane(sessionId: string): WorldLane {
  return {
    sessionId,
    state: null,
    prompts: new Map(),
    receipts: new Map(),
    asks: new Map(),
    works: new Map(),
    node: 1,
    lostAt: null,
  };
}

function read(world: World, load: Load): Loaded {
  if ("accountIds" in load) {
    return loadedAccounts(load.accountIds.flatMap((id) => world.accounts.get(id) ?? []));
  }
  const lane = laneOf(world, load.sessionId);
  if (lane === null) throw new Error(`the world has no session ${load.sessionId}`);
  const { promptId, cancelId, askId, workId } = load;
  return {
    state: lane.state,
    owner: load.ownerId === null ? leaseOf(lane) : leaseOf(lane, load.ownerId),
    prompt: promptId === null ? null : (lane.prompts.get(promptId) ?? null),
    receipt: cancelId === null ? null : (lane.receipts.get(cancelId) ?? null),
    ask: askId === null ? null : (lane.asks.get(askId) ?? null),
    work: workId === null ? null : (lane.works.get(workId) ?? null),
  };
}

function written(lane: WorldLane, write: LaneBatch): WorldLane {
  let { prompts, asks, works, receipts } = lane;
  for (const event of write.events) {
    prompts = merged(prompts, ledgerChange(event), event);
    asks = merged(asks, askChange(event), event);
    works = merged(works, workChange(event), event);
  }
  if (write.receipts.length > 0) {
    const all = new Map(receipts);
    for (const receipt of write.receipts) all.set(receipt.cancelId, receipt);
    receipts = all;
  }
  return { ...lane, state: write.state, prompts, asks, works, receipts };
}

function merged<Row>(
  rows: ReadonlyMap<string, Row>,
  change: RowChange<Row> | null,
  event: LaneEvent,
): ReadonlyMap<string, Row> {
  if (change === null) return rows;
  const row = change.row ?? rows.get(change.id);
  if (row === undefined) throw new Error(`P4: ${event.type} changes a row that is not there`);
  return new Map(rows).set(change.id, { ...row, ...change.patch });
}
