import type { StatementSync } from "node:sqlite";
import type { LedgerRow } from "../../kernel/ledger.ts";
import { changesOfAccounts, execute, loadedAccounts, openBatch } from "../../kernel/transaction.ts";
import type { Answer, Batch, Load, Loaded } from "../../kernel/transaction.ts";
import { ownSignal } from "../lane-signal.ts";
import { stamp } from "../store.ts";
import type { Signal, StoreRequest } from "../store.ts";
import type { Accounts } from "./accounts.ts";
import type { Clock } from "./clock.ts";
import type { Connection } from "./connection.ts";
import { isBusy, storeErrorOf } from "./errors.ts";
import type { KnownLane, LaneCache } from "./lane-cache.ts";
import type { Lanes } from "./lanes.ts";
import type { Nodes } from "./nodes.ts";
import type { Reads } from "./reads.ts";
import type { Recent } from "./recent.ts";
import type { SearchWrites } from "./search.ts";
import type { Writes, WrittenLane } from "./writes.ts";

/** Resources of the process that owns the database. */
export interface Owned {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly reads: Reads;
  readonly writes: Writes;
  readonly search: SearchWrites;
  readonly nodes: Nodes;
  readonly accounts: Accounts;
  readonly cache: LaneCache;
  readonly recent: Recent;
  readonly transaction: {
    readonly begin: StatementSync;
    readonly commit: StatementSync;
    readonly rollback: StatementSync;
  };
}

export type Result =
  | { readonly status: "answered"; readonly answer: Answer }
  | { readonly status: "failed"; readonly error: unknown };

export interface Committed {
  /** Results in the order of the requests. */
  readonly results: readonly Result[];
  readonly signals: readonly Signal[];
}

/**
 * Decides the requests in one transaction and commits it; each request sees the changes of earlier ones. If a write
 * fails, any request may be the cause, so each is retried alone. Throws if another program has locked the database:
 * nothing has changed, and the caller can repeat all requests.
 */
export function commitBatch(owned: Owned, requests: readonly StoreRequest[]): Committed {
  let decided: Decided;
  let written: Written;
  try {
    owned.transaction.begin.run();
  } catch (error) {
    rollBack(owned);
    if (isBusy(error)) throw error;
    return failed(owned, requests, error);
  }
  try {
    decided = decideAll(owned, requests);
    written = writeAll(owned, decided);
  } catch (error) {
    rollBack(owned);
    if (isBusy(error)) throw error;
    if (requests.length === 1) return failed(owned, requests, error);
    const alone = requests.map((request) => commitAlone(owned, request));
    return {
      results: alone.flatMap(({ results }) => results),
      signals: alone.flatMap(({ signals }) => signals),
    };
  }
  try {
    owned.transaction.commit.run();
  } catch (error) {
    rollBack(owned);
    return failed(owned, requests, error);
  }
  const bodies = decided.effective.flatMap(({ bodies = [] }) => bodies);
  owned.recent.add({ ...written, bodies });
  return { results: decided.results, signals: publish(owned, written.lanes) };
}

/** Commits a request of a failed batch. Does not throw, because requests before it may have been committed. */
function commitAlone(owned: Owned, request: StoreRequest): Committed {
  try {
    return commitBatch(owned, [request]);
  } catch (error) {
    return failed(owned, [request], error);
  }
}

interface Decided {
  readonly batch: Batch;
  readonly results: readonly Result[];
  /** Requests that changed something. The content of other requests is not stored. */
  readonly effective: readonly StoreRequest[];
}

function decideAll(owned: Owned, requests: readonly StoreRequest[]): Decided {
  const at = owned.clock();
  const batch = openBatch();
  const results: Result[] = [];
  const effective: StoreRequest[] = [];
  for (const request of requests) {
    try {
      const answer = drive(owned, { batch, request, at });
      results.push({ status: "answered", answer });
      if (answer.status === "done" && answer.events.length > 0) effective.push(request);
    } catch (error) {
      // The failed request left the batch unchanged, so the others are not affected.
      results.push({ status: "failed", error: storeErrorOf(error, owned.connection.file) });
    }
  }
  return { batch, results, effective };
}

function drive(owned: Owned, step: { batch: Batch; request: StoreRequest; at: number }): Answer {
  const generator = execute(step.batch, stamp(step.request.command, step.at));
  let next = generator.next();
  while (next.done !== true) next = generator.next(load(owned, next.value, step.at));
  return next.value;
}

function load(owned: Owned, wanted: Load, at: number): Loaded {
  const { reads, nodes } = owned;
  if ("accountIds" in wanted) return loadedAccounts(owned.accounts.read(wanted.accountIds));
  const { sessionId, promptId, cancelId, askId, workId, ownerId } = wanted;
  const known = knownLane(owned, sessionId);
  const ownedBy = ownerId ?? known?.state.active?.owner ?? null;
  return {
    state: known?.state ?? null,
    owner: nodes.leaseOf(ownedBy, at),
    prompt: promptId === null || known === null ? null : knownPrompt(owned, known, promptId),
    receipt: cancelId === null ? null : reads.receipt(sessionId, cancelId),
    ask: askId === null ? null : reads.ask(sessionId, askId),
    work: workId === null || known === null ? null : reads.work(known.lane, workId),
  };
}

function knownLane({ cache, lanes }: Owned, sessionId: string): KnownLane | null {
  const cached = cache.get(sessionId);
  if (cached !== undefined) return cached;
  const read = lanes.known(sessionId);
  if (read !== null) cache.set(sessionId, read);
  return read;
}

function knownPrompt(
  { recent, reads }: Owned,
  { lane, state: { sessionId } }: KnownLane,
  promptId: string,
): LedgerRow | null {
  return recent.prompt(sessionId, promptId) ?? reads.promptIfAny({ sessionId, lane, promptId });
}

interface Written {
  /** Lanes after the commit. */
  readonly lanes: readonly WrittenLane[];
  /** Position of the last event in the log. */
  readonly end: number;
}

function writeAll(owned: Owned, decided: Decided): Written {
  for (const { bodies = [] } of decided.effective) {
    for (const body of bodies) owned.writes.body(body);
  }
  const lanes: WrittenLane[] = [];
  const log = { position: owned.recent.end() ?? owned.reads.end() };
  for (const [sessionId, lane] of decided.batch.lanes) {
    const known = lane.base === 0 ? null : knownLane(owned, sessionId);
    const next = owned.writes.lane(lane, known, log);
    if (next !== null) lanes.push(next);
  }
  for (const { account } of changesOfAccounts(decided.batch)) owned.accounts.write(account);
  return { lanes, end: log.position };
}

/** Updates the cache after the commit and returns the signals to send. */
function publish(owned: Owned, lanes: readonly WrittenLane[]): Signal[] {
  return lanes.map(({ known, events }) => {
    owned.cache.set(known.state.sessionId, known);
    return ownSignal(known.state, events.at(-1)?.at ?? 0);
  });
}

/** Clears the caches and rolls back, unless SQLite has already rolled back because of the error. */
function rollBack(owned: Owned): void {
  owned.cache.clear();
  owned.recent.clear();
  if (owned.connection.database.isTransaction) owned.transaction.rollback.run();
}

function failed(owned: Owned, requests: readonly StoreRequest[], error: unknown): Committed {
  const reason = storeErrorOf(error, owned.connection.file);
  return { results: requests.map(() => ({ status: "failed", error: reason })), signals: [] };
}
