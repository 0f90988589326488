import { checkLimit } from "../limits.ts";
import type { Signal, Store, StoreRequest } from "../store.ts";
import { prepareAccounts } from "./accounts.ts";
import { backUp } from "./backup.ts";
import type { CanBackUp } from "./backup.ts";
import { commitBatch } from "./batch.ts";
import type { Owned } from "./batch.ts";
import { neverBack, systemClock } from "./clock.ts";
import type { Clock } from "./clock.ts";
import { createCommitQueue } from "./commit-queue.ts";
import { openOwned } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { createLockWait } from "./lock-wait.ts";
import { createLaneCache } from "./lane-cache.ts";
import { prepareLanes } from "./lanes.ts";
import { endEarlierLeases, prepareNodes } from "./nodes.ts";
import { areLarge, openParts } from "./parts.ts";
import { preparePending } from "./pending.ts";
import { createAccess, createReader } from "./reader.ts";
import { prepareReads } from "./reads.ts";
import { createRecent } from "./recent.ts";
import { prepareRecordWrites } from "./records.ts";
import { prepareRoomWrites } from "./room.ts";
import { prepareSearchWrites } from "./search.ts";
import { prepareUploadWrites } from "./uploads.ts";
import { storeErrorOf } from "./errors.ts";
import { createWriteQueue } from "./write-queue.ts";
import { prepareWrites } from "./writes.ts";
import { addListener } from "../../base/listeners.ts";
import { systemClock as systemTimers } from "../../base/time.ts";
import type { Clock as TimerClock } from "../../base/time.ts";
import { createKeyedMutex } from "../../base/serial.ts";
import type { Answer } from "../../kernel/transaction.ts";
import type { Parts } from "./parts.ts";

export interface SqliteOptions {
  readonly file: string;
  /** The store's clock; default: the machine's. */
  readonly clock?: Clock;
  /** Clock for the pauses while another program has locked the database; default: the machine's. */
  readonly timers?: TimerClock;
  /** Maximum size of the database. Writes that exceed it fail with storeFull. */
  readonly maxBytes?: number;
}

export type SqliteStore = Store & CanBackUp;

/** Number of lane states to cache. */
const cachedLanes = 1000;

/**
 * Opens a SQLite store, and creates the database if it is missing. Only one process can have it open: a
 * second one gets `StoreError` with the code storeOwned.
 *
 * @example
 * const store = await openSqliteStore({ file: "holdfast.db" });
 * const runtime = await createRuntime({ agent, store });
 */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const connection = openOwned(options);
  try {
    return storeOn(connection, options);
  } catch (error) {
    connection.close();
    throw storeErrorOf(error, connection.file);
  }
}

function storeOn(connection: Connection, options: SqliteOptions): SqliteStore {
  const owned = prepareOwned(connection, options);
  const { clock, lanes, reads, nodes, cache, recent, search } = owned;
  const lockWait = createLockWait(connection, options.timers ?? systemTimers);
  const access = createAccess(connection.file, lockWait);
  const listeners = new Set<(signal: Signal) => void>();
  const queue = createCommitQueue({
    commit: async (requests) => {
      try {
        return await lockWait(() => commitBatch(owned, requests));
      } catch (error) {
        throw storeErrorOf(error, connection.file);
      }
    },
    signal: (signal) => {
      for (const listener of listeners) listener(signal);
    },
  });
  const pending = preparePending(connection.database);
  const records = prepareRecordWrites(connection.database);
  const writes = createWriteQueue(owned, lockWait);
  const parts = openParts(connection, lockWait);
  const uploads = prepareUploadWrites(connection.database, parts);
  const room = prepareRoomWrites(connection.database, { reads, parts });
  const commits = createLargeCommits({ parts, commit: (request) => queue.add(request) });
  const reader = createReader({ connection, reads, access, clock });
  // From here on, work on a locked database is repeated with pauses instead.
  connection.database.exec("PRAGMA busy_timeout = 0");
  return {
    ...reader,
    prompt: (sessionId, promptId) => {
      const known = recent.prompt(sessionId, promptId);
      return known === null ? reader.prompt(sessionId, promptId) : access.run(() => known);
    },
    events: (sessionId, page) => {
      const { after, limit, types, subject } = page;
      const isPlain = types === undefined && subject === undefined;
      const known = isPlain ? recent.events(sessionId, after ?? 0) : null;
      return known === null
        ? reader.events(sessionId, page)
        : access.run(() => known.slice(0, checkLimit(limit)));
    },
    body: (hash) => {
      const known = recent.body(hash);
      return known === null ? reader.body(hash) : access.run(() => known);
    },
    lane: (sessionId) =>
      access.run(() => (cache.get(sessionId) ?? lanes.known(sessionId))?.state ?? null),
    peek: (sessionId) => cache.get(sessionId)?.state ?? null,
    execute: (request) => access.enter(() => commits.execute(request)),
    join: (lease) => access.run(() => nodes.join(lease, clock())),
    renew: (nodeId) => access.run(() => nodes.renew(nodeId, clock())),
    leave: (nodeId) => access.run(() => nodes.leave(nodeId, clock())),
    pending: (query) =>
      access.run(() => pending({ ...query, limit: checkLimit(query.limit), now: clock() })),
    readySince: (sessionId) => access.run(() => lanes.readySince(sessionId)),
    putRecord: (write) => access.enter(() => writes.add(() => records.put(write, clock()))),
    removeRecord: (key) => access.enter(() => writes.add(() => records.remove(key))),
    addUpload: (upload) =>
      access.enter(() =>
        parts.with([upload], async ([kept = upload]) => {
          try {
            await lockWait(() => uploads.add({ ...upload, ...kept }, clock()));
          } catch (error) {
            throw storeErrorOf(error, connection.file);
          }
        }),
      ),
    sweepUploads: ({ before }) => access.run(() => uploads.sweep(before)),
    removeBodies: (removal) =>
      access.run(() => {
        recent.clear();
        return room.removeBodies(removal);
      }),
    writeSearch: (write) => access.run(() => search.write(write)),
    clearSearch: () => access.run(() => search.clear()),
    compact: () => access.run(() => room.compact()),
    backup: (to) => access.enter(() => backUp({ file: connection.file, to })),
    messages: null,
    rejectedNotifications: () => 0,
    watch: (listener) => addListener(listeners, listener),
    // New requests are refused from here on; queued requests are still answered.
    close: () =>
      access.close(async () => {
        await Promise.all([commits.idle(), parts.idle(), writes.idle()]);
        await queue.idle();
        connection.close();
      }),
  };
}

function prepareOwned(connection: Connection, options: SqliteOptions): Owned {
  const { database } = connection;
  const reads = prepareReads(database);
  const recent = createRecent();
  const search = prepareSearchWrites(database);
  const newest = reads.newestTime();
  endEarlierLeases(database, newest);
  return {
    connection,
    clock: options.clock ? neverBack(options.clock, newest) : systemClock(newest),
    lanes: prepareLanes(database),
    reads,
    writes: prepareWrites(database, { reads, recent, search }),
    search,
    nodes: prepareNodes(database),
    accounts: prepareAccounts(database),
    cache: createLaneCache(cachedLanes),
    recent,
    transaction: {
      begin: database.prepare("BEGIN IMMEDIATE"),
      commit: database.prepare("COMMIT"),
      rollback: database.prepare("ROLLBACK"),
    },
  };
}

interface LargeCommits {
  execute(request: StoreRequest): Promise<Answer>;
  /** Resolves when no request waits to be committed. */
  idle(): Promise<void>;
}

/**
 * Commits requests. Large content is written in parts before its request is committed. Later requests of the same
 * session wait for this commit, in the order of the calls.
 */
function createLargeCommits(options: {
  parts: Parts;
  commit: (request: StoreRequest) => Promise<Answer>;
}): LargeCommits {
  const { parts, commit } = options;
  const bySession = createKeyedMutex();
  const commitLarge = (request: StoreRequest): Promise<Answer> =>
    parts.with(request.bodies ?? [], (bodies) => commit({ ...request, bodies }));
  const execute = (request: StoreRequest): Promise<Answer> => {
    const { sessionId } = request.command;
    const mustWait = bySession.isBusy(sessionId) || areLarge(request.bodies ?? []);
    return mustWait ? bySession.run(sessionId, () => commitLarge(request)) : commit(request);
  };
  return { execute, idle: () => bySession.idle() };
}
