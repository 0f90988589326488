import { readStoreKey } from "../store-key.ts";
import type { Store } from "../store.ts";
import { readAccounts } from "./accounts.ts";
import { Clock } from "./clock.ts";
import { decodeCursor } from "./cursor.ts";
import { Database } from "./database.ts";
import { closedError, storeErrorOf } from "./errors.ts";
import { eventReads } from "./events.ts";
import { readFeed, readFeedAt, readFeedEnd } from "./feed.ts";
import { LaneCache } from "./lane-cache.ts";
import { storable } from "./lane-read.ts";
import { LaneCommits } from "./lane-commits.ts";
import { LaneWriter } from "./lane-writer.ts";
import {
  joinNode,
  leaveNode,
  readLivingNodes,
  readNode,
  readOwnedLanes,
  renewNode,
} from "./leases.ts";
import { listSessions } from "./listing.ts";
import { Messages } from "./messages.ts";
import { migrate } from "./migrate.ts";
import { settingsOf } from "./options.ts";
import type { PostgresStoreOptions } from "./options.ts";
import { readPending, readReadySince } from "./pending.ts";
import {
  bodyReads,
  promptKey,
  promptReads,
  readAsk,
  readAsks,
  readOpenAsks,
  readPrompts,
  readWork,
} from "./reader.ts";
import { putRecord, readRecord, readRecords, removeRecord } from "./records.ts";
import { RecentBodies } from "./recent-bodies.ts";
import { compactTables, readSize, removeBodies } from "./room.ts";
import { checkSearch, clearSearch, findTexts, readSearchMark, writeSearch } from "./search.ts";
import {
  readFailureHolds,
  readSessionIds,
  readStoredLane,
  readSummary,
  stateReads,
} from "./sessions.ts";
import { Signals } from "./signals.ts";
import { addUpload, readUpload, sweepUploads } from "./uploads.ts";

/** Opens a store that several processes share, in a schema of a PostgreSQL database (13 or later). */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const settings = settingsOf(options);
  const storeId = await migrate(settings).catch((error: unknown) => {
    throw storeErrorOf(error, { isOpening: true });
  });
  const database = new Database(settings);
  const cache = new LaneCache(settings.cachedLanes);
  const clock = new Clock(settings.clockAge);
  const states = stateReads(database, cache);
  const commits = new LaneCommits(database);
  const record: Store["record"] = (kind, id) => readRecord(database, { kind, id });
  let key: Uint8Array;
  try {
    key = await readStoreKey({ record, putRecord: (write) => putRecord(database, write) });
    const warning = await replicationWarning(database);
    if (warning !== null) settings.onWarning(warning);
  } catch (error) {
    await database.close();
    throw error;
  }
  const rejected = countRejected(settings);
  const signals = new Signals({ settings, key, onRejected: rejected.add });
  const messages = new Messages({ settings, key, onRejected: rejected.add });
  const writer = new LaneWriter({ database, cache, clock, commits, states }, (state, at) => {
    signals.changed(state, at);
  });
  signals.watch((signal) => {
    if (signal.kind === "lane") cache.outdate(signal.sessionId, signal.seq);
  });
  await signals.open();

  let closing: Promise<void> | null = null;
  const whileOpen = async <T>(read: () => Promise<T>): Promise<T> => {
    if (closing !== null) throw closedError();
    return read();
  };
  const prompts = promptReads(database);
  const bodies = bodyReads(database);
  const events = eventReads(database);
  const recent = new RecentBodies();
  return {
    // Always null: another process may have changed the lane, so a cached state could be stale.
    peek: () => null,
    execute: async (request) => {
      const answer = await writer.execute(request);
      if (answer.status === "done" && answer.events.length > 0) {
        for (const body of request.bodies ?? []) recent.add(body);
      }
      return answer;
    },
    lane: (sessionId) => whileOpen(() => states.row(storable(sessionId))),
    prompt: (sessionId, promptId) =>
      whileOpen(() => prompts.row(promptKey({ sessionId, promptId }))),
    prompts: (sessionId, page) => whileOpen(() => readPrompts(database, { sessionId, page })),
    ask: (sessionId, askId) => whileOpen(() => readAsk(database, { sessionId, askId })),
    asks: (sessionId, page) => whileOpen(() => readAsks(database, { sessionId, page })),
    openAsks: (page) => whileOpen(() => readOpenAsks(database, page)),
    work: (sessionId, workId) => whileOpen(() => readWork(database, { sessionId, workId })),
    events: (sessionId, page) => whileOpen(() => events(sessionId, page)),
    feed: (page) => whileOpen(() => readFeed(database, { storeId, page })),
    feedEnd: () => whileOpen(() => readFeedEnd(database, storeId)),
    feedAt: (time) => whileOpen(() => readFeedAt(database, { storeId, time })),
    isFeedCursor: (text) => decodeCursor(text) !== null,
    body: (hash) => whileOpen(async () => recent.get(hash) ?? bodies.row(storable(hash))),
    sessions: (page) => whileOpen(() => readSessionIds(database, page)),
    session: (sessionId) => whileOpen(() => readSummary(database, sessionId)),
    listSessions: (query) => whileOpen(() => listSessions(database, query)),
    failureHolds: (directories) => whileOpen(() => readFailureHolds(database, directories)),
    storedLane: (sessionId) => whileOpen(() => readStoredLane(database, sessionId)),
    node: (nodeId) => whileOpen(() => readNode(database, nodeId)),
    nodes: () => whileOpen(() => readLivingNodes(database)),
    ownedLanes: () => whileOpen(() => readOwnedLanes(database)),
    accounts: (ids) => whileOpen(() => readAccounts(database, ids)),
    record: (kind, id) => whileOpen(() => record(kind, id)),
    records: (kind, page) => whileOpen(() => readRecords(database, { kind, page })),
    upload: (hash) => whileOpen(() => readUpload(database, hash)),
    size: () => whileOpen(() => readSize(database)),
    searchMark: () => whileOpen(() => readSearchMark(database)),
    findTexts: (query) => whileOpen(() => findTexts(database, query)),
    checkSearch: () => whileOpen(() => checkSearch(database)),
    writeSearch: (write) => whileOpen(() => writeSearch(database, write)),
    clearSearch: () => whileOpen(() => clearSearch(database)),
    now: () => whileOpen(() => readClock(database)),
    join: (lease) =>
      whileOpen(() => {
        warnOfShortLease(settings, lease.ttl);
        return joinNode(database, lease);
      }),
    renew: (nodeId) => whileOpen(() => renewNode(database, nodeId)),
    leave: (nodeId) => whileOpen(() => leaveNode(database, nodeId)),
    pending: (query) => whileOpen(() => readPending(database, query)),
    readySince: (sessionId) => whileOpen(() => readReadySince(database, storable(sessionId))),
    putRecord: (write) => whileOpen(() => putRecord(database, write)),
    removeRecord: (key) => whileOpen(() => removeRecord(database, key)),
    addUpload: (upload) => whileOpen(() => addUpload(database, upload)),
    sweepUploads: ({ before }) => whileOpen(() => sweepUploads(database, before)),
    removeBodies: (removal) =>
      whileOpen(() => {
        recent.clear();
        return removeBodies(database, { ...removal, storeId });
      }),
    compact: () => whileOpen(() => compactTables(settings)),
    watch: (listener) => signals.watch(listener),
    messages,
    rejectedNotifications: () => rejected.count(),
    close: () => {
      closing ??= writer
        .close()
        .then(() => Promise.all([signals.close(), messages.close()]))
        .then(() => database.close());
      return closing;
    },
  };
}

async function readClock(database: Database): Promise<number> {
  const [row] = await database.rows<{ now: number }>({ text: "SELECT holdfast_now() AS now" });
  if (row === undefined)
    throw new Error("PostgreSQL returned no row for a SELECT without a WHERE clause");
  return row.now;
}

function warnOfShortLease(settings: ReturnType<typeof settingsOf>, ttl: number): void {
  const { statement, lock, idleInTransaction } = settings.timeouts;
  const longest = Math.max(statement, lock, idleInTransaction);
  if (ttl > longest) return;
  settings.onWarning(
    `a lease of ${ttl} ms is not longer than the store's timeouts (${longest} ms): what a frozen ` +
      "process holds in the database may outlast its lease; shorten the timeouts",
  );
}

/** Counts ignored notifications and warns about the first one. */
function countRejected({ onWarning }: ReturnType<typeof settingsOf>): {
  readonly add: () => void;
  readonly count: () => number;
} {
  let count = 0;
  return {
    add: () => {
      count += 1;
      if (count > 1) return;
      onWarning(
        "a PostgreSQL notification was ignored: no node of this store sent it. Another role may " +
          "connect to this database; run REVOKE CONNECT ON DATABASE … FROM PUBLIC",
      );
    },
    count: () => count,
  };
}

/**
 * Returns a warning if a failover can lose commits because they do not wait for a standby; otherwise null.
 */
async function replicationWarning(database: Database): Promise<string | null> {
  const [row] = await database.rows<{
    standbys: number;
    synchronous: number;
    names: string;
    commit: string;
  }>({
    text: `
      SELECT count(*)::int AS standbys,
        count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))::int AS synchronous,
        current_setting('synchronous_standby_names') AS names,
        current_setting('synchronous_commit') AS commit
      FROM pg_stat_replication`,
  });
  if (row === undefined) return null;
  const { commit, names, standbys, synchronous } = row;
  if (commit === "off") {
    return "synchronous_commit is off: a crash of the database loses acknowledged prompts; turn it on";
  }
  const hasStandby = standbys > 0 || names !== "";
  const waits = names !== "" && commit !== "local" && (standbys === 0 || synchronous > 0);
  if (!hasStandby || waits) return null;
  return (
    "a standby is configured, but commits do not wait for it: a failover would lose acknowledged " +
    "prompts; set synchronous_standby_names and leave synchronous_commit on"
  );
}
