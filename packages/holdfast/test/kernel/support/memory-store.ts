import assert from "node:assert/strict";
import type { Account } from "../../../src/kernel/account.ts";
import type { Command } from "../../../src/kernel/command.ts";
import { bodiesNamedBy } from "../../../src/kernel/event-table.ts";
import type { LaneEvent, Receipt } from "../../../src/kernel/event.ts";
import type { OwnerLease } from "../../../src/kernel/facts.ts";
import { askChange, ledgerChange, workChange } from "../../../src/kernel/ledger.ts";
import type { AskRow, LedgerRow, RowChange, WorkRow } from "../../../src/kernel/ledger.ts";
import { addUsage } from "../../../src/kernel/state.ts";
import type { LaneState } from "../../../src/kernel/state.ts";
import {
  changesOfAccounts,
  execute,
  loadedAccounts,
  openBatch,
} from "../../../src/kernel/transaction.ts";
import type { Answer, Batch, Load, Loaded } from "../../../src/kernel/transaction.ts";

/** All data of one session that a real store writes to disk. */
export interface StoredLane {
  readonly state: LaneState;
  readonly log: readonly LaneEvent[];
  readonly prompts: ReadonlyMap<string, LedgerRow>;
  readonly receipts: ReadonlyMap<string, Receipt>;
  readonly asks: ReadonlyMap<string, AskRow>;
  readonly works: ReadonlyMap<string, WorkRow>;
}

/**
 * The smallest correct store: each batch reads from the maps and writes back to them, so a
 * rule that only works on what an earlier command left in memory fails here as it would on disk.
 */
export interface MemoryStore {
  lanes: Map<string, StoredLane>;
  leases: Map<string, OwnerLease>;
  accounts: Map<string, Account>;
}

export function createMemoryStore(): MemoryStore {
  return { lanes: new Map(), leases: new Map(), accounts: new Map() };
}

/** Stored lanes and accounts are never changed in place, so copying the maps copies the store. */
export function copyStore(store: MemoryStore): MemoryStore {
  const { lanes, leases, accounts } = store;
  return { lanes: new Map(lanes), leases: new Map(leases), accounts: new Map(accounts) };
}

/** One command in a transaction of its own. */
export function transact(store: MemoryStore, command: Command): Answer {
  const [answer] = transactAll(store, [command]);
  assert(answer !== undefined);
  return answer;
}

/** Several commands in one transaction: a group commit. */
export function transactAll(store: MemoryStore, commands: readonly Command[]): Answer[] {
  const batch = openBatch();
  const answers = commands.map((command) => drive(store, execute(batch, command)));
  commit(store, batch);
  return answers;
}

/** Runs a command of a batch on the data of the store, without writing to the store. */
export function drive(store: MemoryStore, generator: Generator<Load, Answer, Loaded>): Answer {
  let next = generator.next();
  while (!next.done) next = generator.next(read(store, next.value));
  return next.value;
}

function read(store: MemoryStore, load: Load): Loaded {
  if ("accountIds" in load) {
    return loadedAccounts(load.accountIds.flatMap((id) => store.accounts.get(id) ?? []));
  }
  const lane = store.lanes.get(load.sessionId);
  const owner = load.ownerId ?? lane?.state.active?.owner ?? null;
  return {
    state: lane?.state ?? null,
    owner: (owner === null ? undefined : store.leases.get(owner)) ?? { alive: false, lostAt: null },
    prompt: rowOf(lane?.prompts, load.promptId),
    receipt: rowOf(lane?.receipts, load.cancelId),
    ask: rowOf(lane?.asks, load.askId),
    work: rowOf(lane?.works, load.workId),
  };
}

function rowOf<Row>(rows: ReadonlyMap<string, Row> | undefined, id: string | null): Row | null {
  return id === null ? null : (rows?.get(id) ?? null);
}

function commit(store: MemoryStore, batch: Batch): void {
  for (const { account, charge, isChargeOnly } of changesOfAccounts(batch)) {
    const known = store.accounts.get(account.id);
    const charged = known && { ...known, spent: addUsage(known.spent, charge) };
    store.accounts.set(account.id, (isChargeOnly ? charged : null) ?? account);
  }
  for (const [sessionId, lane] of batch.lanes) {
    if (lane.state === null) continue;
    const stored = store.lanes.get(sessionId);
    assert.equal(lane.base, stored?.state.seq ?? 0, "the lane was read at the version it has");
    if (lane.events.length === 0 && lane.receipts.length === 0) continue;
    const prompts = new Map(stored?.prompts);
    const asks = new Map(stored?.asks);
    const works = new Map(stored?.works);
    const receipts = new Map(stored?.receipts);
    for (const event of lane.events) {
      checkBodies(event);
      merge(prompts, ledgerChange(event));
      merge(asks, askChange(event));
      merge(works, workChange(event));
    }
    for (const receipt of lane.receipts) {
      assert(!receipts.has(receipt.cancelId), "a receipt is written once");
      receipts.set(receipt.cancelId, receipt);
    }
    const log = [...(stored?.log ?? []), ...lane.events];
    store.lanes.set(sessionId, { state: lane.state, log, prompts, receipts, asks, works });
  }
}

/** The event table names every body of the event: retention would delete any other. */
function checkBodies(event: LaneEvent): void {
  const byKey: LaneEvent = JSON.parse(JSON.stringify({ ...event, type: "a newer type" }));
  assert.deepEqual(hashesIn(event), hashesIn(byKey), `bodies of ${event.type}`);
}

function hashesIn(event: LaneEvent): string[] {
  return bodiesNamedBy(event)
    .map(({ hash }) => hash)
    .toSorted();
}

function merge<Row>(rows: Map<string, Row>, change: RowChange<Row> | null): void {
  if (change === null) return;
  const row = change.row ?? rows.get(change.id);
  assert(row !== undefined, `a change of ${change.id} finds its row`);
  rows.set(change.id, { ...row, ...change.patch });
}
