import { setImmediate as nextRound } from "node:timers/promises";
import type { StoreReader } from "../store.ts";
import { checkLimit } from "../limits.ts";
import { backUp } from "./backup.ts";
import type { CanBackUp } from "./backup.ts";
import { prepareAccountReads } from "./accounts.ts";
import { prepareBodyRead } from "./bodies.ts";
import { systemClock } from "./clock.ts";
import type { Clock } from "./clock.ts";
import { openForReading } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { closed, storeErrorOf } from "./errors.ts";
import type { LockWait } from "./lock-wait.ts";
import { readCursor, writeCursor } from "./feed-cursor.ts";
import { prepareLanes } from "./lanes.ts";
import { prepareListing } from "./listing.ts";
import { prepareLease, prepareLivingNodes, prepareOwnedLanes } from "./nodes.ts";
import { prepareReads } from "./reads.ts";
import type { Reads } from "./reads.ts";
import { prepareRecordReads } from "./records.ts";
import { prepareSize } from "./room.ts";
import { prepareSearchReads } from "./search.ts";
import { prepareUploadRead } from "./uploads.ts";

export type SqliteReader = StoreReader & CanBackUp;

/** Opens a store read-only, even while its owner is running. */
export async function openSqliteReader(options: { file: string }): Promise<SqliteReader> {
  const connection = openForReading(options);
  try {
    return readerOn(connection);
  } catch (error) {
    connection.close();
    throw storeErrorOf(error, connection.file);
  }
}

function readerOn(connection: Connection): SqliteReader {
  const reads = prepareReads(connection.database);
  const access = createAccess(connection.file, (work) => work());
  return {
    ...createReader({
      connection,
      reads,
      access,
      clock: () => systemClock(reads.newestTime())(),
    }),
    backup: (to) => access.enter(() => backUp({ file: connection.file, to })),
    close: () => access.close(async () => connection.close()),
  };
}

/** Runs database work unless the database is closed, and converts errors to store errors. */
export interface Access {
  run<Value>(work: () => Value): Promise<Value>;
  /** Refuses new work from now on and calls `work` to close the database. A second call does nothing more. */
  close(work: () => Promise<void>): Promise<void>;
  /**
   * Starts asynchronous work unless the database is closed. The work itself must convert its errors to store errors.
   */
  enter<Value>(work: () => Promise<Value>): Promise<Value>;
}

export function createAccess(file: string, lockWait: LockWait): Access {
  let closing: Promise<void> | null = null;
  return {
    enter: (work) => (closing === null ? work() : Promise.reject(closed(file))),
    async run(work) {
      if (closing !== null) throw closed(file);
      try {
        return await lockWait(work);
      } catch (error) {
        throw storeErrorOf(error, file);
      }
    },
    close: (work) => (closing ??= work()),
  };
}

export function createReader(options: {
  connection: Connection;
  reads: Reads;
  access: Access;
  clock: Clock;
}): Omit<StoreReader, "close"> {
  const { reads, access, clock } = options;
  const { storeId, formerIds, database } = options.connection;
  /** Returns the cursor's position; null if it is not in this store. */
  const positionOf = (cursor: string): number | null => {
    const from = readCursor(cursor);
    if (from === null) return null;
    const last = from.storeId === storeId ? reads.end() : (formerIds.get(from.storeId) ?? -1);
    const isHere = from.at === null || from.at === reads.timeAt(from.position);
    return from.position <= last && isHere ? from.position : null;
  };
  const cursorAt = (position: number): string =>
    writeCursor({ storeId, position, at: reads.timeAt(position) });
  /**
   * Returns the position of the last event before the time. Binary search: positions have no gaps, and the clock never
   * goes back.
   */
  const positionBefore = (time: number): number => {
    let [low, high] = [0, reads.end()];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((reads.timeAt(middle) ?? 0) < time) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const lanes = prepareLanes(database);
  const listing = prepareListing(database);
  const body = prepareBodyRead(database);
  const lease = prepareLease(database);
  const livingNodes = prepareLivingNodes(database);
  const ownedLanes = prepareOwnedLanes(database);
  const records = prepareRecordReads(database);
  const accounts = prepareAccountReads(database);
  const upload = prepareUploadRead(database);
  const size = prepareSize(database);
  const search = prepareSearchReads(database);
  const oneOf = <Row>(sessionId: string, read: (lane: number) => Row | null): Promise<Row | null> =>
    access.run(() => {
      const lane = lanes.numberOf(sessionId);
      return lane === null ? null : read(lane);
    });
  const manyOf = <Row>(
    sessionId: string,
    page: { limit: number },
    read: (lane: number) => Row[],
  ): Promise<Row[]> =>
    access.run(() => {
      checkLimit(page.limit);
      const lane = lanes.numberOf(sessionId);
      return lane === null ? [] : read(lane);
    });
  return {
    lane: (sessionId) => access.run(() => lanes.known(sessionId)?.state ?? null),
    prompt: (sessionId, promptId) =>
      oneOf(sessionId, (lane) => reads.prompt({ sessionId, lane, promptId })),
    prompts: (sessionId, page) =>
      manyOf(sessionId, page, (lane) => reads.prompts({ sessionId, lane }, page)),
    ask: (sessionId, askId) => access.run(() => reads.ask(sessionId, askId)),
    asks: (sessionId, page) => access.run(() => reads.asks(sessionId, checked(page))),
    openAsks: (page) => access.run(() => reads.openAsks(checked(page))),
    work: (sessionId, workId) => oneOf(sessionId, (lane) => reads.work(lane, workId)),
    events: (sessionId, page) => manyOf(sessionId, page, (lane) => reads.events(lane, page)),
    feed: ({ after, limit }) =>
      access.run(() => {
        const end = reads.end();
        const from = after === null ? 0 : positionOf(after);
        if (from === null) {
          return { status: "reset", cursor: cursorAt(end) };
        }
        const found = reads.feed({ after: from, limit: checkLimit(limit) });
        const cursors = found.map(({ position, event: { at } }) =>
          writeCursor({ storeId, position, at }),
        );
        return {
          status: "events",
          events: found.map(({ event }) => event),
          cursors,
          cursor: cursors.at(-1) ?? cursorAt(from),
          more: (found.at(-1)?.position ?? from) < end,
        };
      }),
    feedEnd: () => access.run(() => cursorAt(reads.end())),
    feedAt: (time) => access.run(() => cursorAt(positionBefore(time))),
    isFeedCursor: (text) => readCursor(text) !== null,
    body: (hash) => access.run(() => body(hash)),
    sessions: (page) => access.run(() => lanes.ids(checked(page))),
    session: (sessionId) => access.run(() => lanes.summary(sessionId)),
    listSessions: async (query) => {
      let steps = listing(checked(query));
      const next = (): ReturnType<typeof steps.next> => {
        try {
          return steps.next();
        } catch (error) {
          // A generator that has thrown cannot continue. If `run` repeats the work, list again from the start.
          steps = listing(query);
          throw error;
        }
      };
      for (;;) {
        const step = await access.run(next);
        if (step.done === true) return step.value;
        await nextRound();
      }
    },
    failureHolds: (directories) => access.run(() => lanes.failureHolds(directories)),
    storedLane: (sessionId) => access.run(() => lanes.stored(sessionId)),
    node: (nodeId) => access.run(() => lease(nodeId, clock())),
    nodes: () => access.run(() => livingNodes(clock())),
    ownedLanes: () => access.run(() => ownedLanes()),
    accounts: (ids) => access.run(() => accounts(ids)),
    record: (kind, id) => access.run(() => records.get({ kind, id })),
    records: (kind, page) => access.run(() => records.list(kind, checked(page))),
    upload: (hash) => access.run(() => upload(hash)),
    size: () => access.run(size),
    searchMark: () => access.run(() => search.mark()),
    findTexts: (query) => access.run(() => search.find(checked(query))),
    checkSearch: () => access.run(() => search.check()),
    now: () => access.run(clock),
  };
}

function checked<Query extends { readonly limit: number }>(query: Query): Query {
  checkLimit(query.limit);
  return query;
}
