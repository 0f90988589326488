import type { StoreReader } from "../store.ts";
import { checkLimit } from "../limits.ts";
import { systemClock } from "./clock.ts";
import type { Clock } from "./clock.ts";
import { openForReading } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { closed, storeErrorOf } from "./errors.ts";
import { readCursor, writeCursor } from "./feed-cursor.ts";
import { prepareLanes } from "./lanes.ts";
import { prepareLease } from "./nodes.ts";
import { prepareReads } from "./reads.ts";
import type { Reads } from "./reads.ts";
import { prepareRecordReads } from "./records.ts";
import { prepareUploadRead } from "./uploads.ts";

/** Opens a store for reading only, also while its owner is at work. */
export async function openSqliteReader(options: { file: string }): Promise<StoreReader> {
  const connection = openForReading(options);
  const reads = prepareReads(connection.database);
  const access = createAccess(connection.file);
  return {
    ...createReader({
      connection,
      reads,
      access,
      clock: () => systemClock(reads.newestTime())(),
    }),
    close: () => access.close(async () => connection.close()),
  };
}

/** Runs what touches the database, unless that was closed, and names its errors. */
export interface Access {
  run<Value>(work: () => Value): Promise<Value>;
  /** Lets nothing in any more, then closes, once. */
  close(work: () => Promise<void>): Promise<void>;
  check(): void;
}

export function createAccess(file: string): Access {
  let closing: Promise<void> | null = null;
  const check = (): void => {
    if (closing !== null) throw closed(file);
  };
  return {
    check,
    async run(work) {
      check();
      try {
        return work();
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
  const { storeId, database } = options.connection;
  const lanes = prepareLanes(database);
  const lease = prepareLease(database);
  const records = prepareRecordReads(database);
  const upload = prepareUploadRead(database);
  return {
    lane: (sessionId) => access.run(() => lanes.state(sessionId)),
    prompt: (sessionId, promptId) => access.run(() => reads.prompt(sessionId, promptId)),
    prompts: (sessionId, { after, limit }) =>
      access.run(() => reads.prompts(sessionId, { after: after ?? 0, limit: checkLimit(limit) })),
    ask: (sessionId, askId) => access.run(() => reads.ask(sessionId, askId)),
    asks: (sessionId, page) => access.run(() => reads.asks(sessionId, checked(page))),
    openAsks: (page) => access.run(() => reads.openAsks(checked(page))),
    work: (sessionId, workId) => access.run(() => reads.work(sessionId, workId)),
    events: (sessionId, page) => access.run(() => reads.events(sessionId, checked(page))),
    feed: ({ after, limit }) =>
      access.run(() => {
        const end = reads.end();
        const from = after === null ? { storeId, position: 0 } : readCursor(after);
        if (from === null || from.storeId !== storeId || from.position > end) {
          return { status: "reset", cursor: writeCursor({ storeId, position: end }) };
        }
        const found = reads.feed({ after: from.position, limit: checkLimit(limit) });
        const cursors = found.map(({ position }) => writeCursor({ storeId, position }));
        return {
          status: "events",
          events: found.map(({ event }) => event),
          cursors,
          cursor: cursors.at(-1) ?? writeCursor(from),
          more: (found.at(-1)?.position ?? from.position) < end,
        };
      }),
    feedEnd: () => access.run(() => writeCursor({ storeId, position: reads.end() })),
    isFeedCursor: (text) => readCursor(text) !== null,
    body: (hash) => access.run(() => reads.body(hash)),
    sessions: (page) => access.run(() => lanes.ids(checked(page))),
    session: (sessionId) => access.run(() => lanes.summary(sessionId)),
    listSessions: (query) => access.run(() => lanes.list(checked(query))),
    storedLane: (sessionId) => access.run(() => lanes.stored(sessionId)),
    node: (nodeId) => access.run(() => lease(nodeId, clock())),
    record: (kind, id) => access.run(() => records.get({ kind, id })),
    records: (kind, page) => access.run(() => records.list(kind, checked(page))),
    upload: (hash) => access.run(() => upload(hash)),
    now: () => access.run(clock),
  };
}

function checked<Query extends { readonly limit: number }>(query: Query): Query {
  checkLimit(query.limit);
  return query;
}
