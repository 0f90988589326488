import type { StoreReader } from "../store.ts";
import { checkLimit } from "../limits.ts";
import { systemClock } from "./clock.ts";
import type { Clock } from "./clock.ts";
import { openForReading } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { closed, storeErrorOf } from "./errors.ts";
import { readCursor, writeCursor } from "./feed-cursor.ts";
import { prepareReads } from "./reads.ts";
import type { Reads } from "./reads.ts";

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
  const { storeId } = options.connection;
  return {
    lane: (sessionId) => access.run(() => reads.lane(sessionId)),
    prompt: (sessionId, promptId) => access.run(() => reads.prompt(sessionId, promptId)),
    prompts: (sessionId, { after, limit }) =>
      access.run(() => reads.prompts(sessionId, { after: after ?? 0, limit: checkLimit(limit) })),
    ask: (sessionId, askId) => access.run(() => reads.ask(sessionId, askId)),
    events: (sessionId, { after, limit }) =>
      access.run(() => reads.events(sessionId, { after: after ?? 0, limit: checkLimit(limit) })),
    feed: ({ after, limit }) =>
      access.run(() => {
        const end = reads.end();
        const from = after === null ? 0 : readCursor(after, storeId);
        if (from === null || from > end) {
          return { status: "reset", cursor: writeCursor({ storeId, position: end }) };
        }
        const found = reads.feed({ after: from, limit: checkLimit(limit) });
        const position = found.at(-1)?.position ?? from;
        return {
          status: "events",
          events: found.map(({ event }) => event),
          cursor: writeCursor({ storeId, position }),
          more: position < end,
        };
      }),
    body: (hash) => access.run(() => reads.body(hash)),
    sessions: ({ after, limit }) =>
      access.run(() => reads.sessions({ after: after ?? "", limit: checkLimit(limit) })),
    now: () => access.run(clock),
  };
}
