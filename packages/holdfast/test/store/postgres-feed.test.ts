import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { Client } from "pg";
import { waitFor } from "../support/wait-for.ts";
import type { LaneEvent } from "../../src/kernel/event.ts";
import { decodeCursor, encodeCursor, trimSnapshot } from "../../src/store/postgres/cursor.ts";
import { fromJsonb, toJsonb } from "../../src/store/postgres/json.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Signal, Store } from "../../src/store/store.ts";
import { queryOnce, startPostgres } from "../support/postgres.ts";
import type { PostgresServer } from "../support/postgres.ts";
import { openLane } from "./lane-client.ts";

let server: PostgresServer;

before(async () => {
  server = await startPostgres();
});

after(() => server.stop());

test("T2: a late commit is not skipped by the feed", async () => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  const late = new Client({ connectionString: url });
  await late.connect();
  try {
    const lane = openLane(store, "s");
    await lane.create();
    const [created] = await lane.events();
    assert.ok(created !== undefined);
    // This transaction takes its position first and commits last.
    const event: LaneEvent = { ...created, sessionId: "late" };
    await late.query("BEGIN");
    await late.query({
      text: `INSERT INTO holdfast.events (session_id, seq, commit_id, type, at, event)
        VALUES ('late', 1, gen_random_uuid(), 'session.created', 0, $1)`,
      values: [JSON.stringify(event)],
    });
    await lane.accept("p1");
    await lane.accept("p2");
    const first = await readOn(store, null);
    await lane.accept("p3");
    const second = await readOn(store, first.cursor);
    await late.query("COMMIT");
    const third = await readOn(store, second.cursor);
    await lane.accept("p4");
    const fourth = await readOn(store, third.cursor);
    const log = await lane.events();
    assert.deepEqual(
      [first.events, second.events, third.events, fourth.events],
      [log.slice(0, 3), log.slice(3, 4), [event], log.slice(4)],
    );
  } finally {
    await late.end();
    await store.close();
  }
});

test("T2: a cursor from before a backup was restored is reset", async () => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  try {
    await openLane(store, "s").create();
    const { cursor } = await readOn(store, null);
    const decoded = decodeCursor(cursor);
    assert.ok(decoded !== null);
    const ahead = encodeCursor({ ...decoded, from: "9000000000:9000000000:" });
    const page = await store.feed({ after: ahead, limit: 10 });
    assert.deepEqual(page, { status: "reset", cursor });
  } finally {
    await store.close();
  }
});

test("T2: new events are found without scanning old ones, even without table statistics", async () => {
  const url = await server.createDatabase();
  const old = 5_000;
  const store = await openPostgresStore({ url });
  try {
    await queryOnce(
      url,
      `INSERT INTO holdfast.events (session_id, seq, commit_id, type, at, event)
        SELECT 'old', seq, gen_random_uuid(), 'session.created', 0, '{}'
        FROM generate_series(1, ${old}) AS seq`,
    );
    const lane = openLane(store, "s");
    await lane.create();
    const end = await store.feedEnd();
    await lane.accept("p1");
    await lane.accept("p2");
    const { events } = await readOn(store, end);
    assert.deepEqual(events, (await lane.events()).slice(1));
  } finally {
    await store.close();
  }
  // PostgreSQL counts the index entries that a connection has read when the connection ends.
  const [counted] = await someRows(() =>
    queryOnce<{ read: number }>(
      url,
      `SELECT sum(idx_tup_read)::integer AS read FROM pg_stat_user_indexes
        WHERE relname = 'events' HAVING sum(idx_scan) > 0`,
    ),
  );
  assert.ok((counted?.read ?? old) < old / 10, `${counted?.read} entries of indexes were read`);
});

test("a signal reaches the other processes, even after their connections broke", async () => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  const other = await openPostgresStore({ url });
  try {
    const heard: Signal[] = [];
    other.watch((signal) => heard.push(signal));
    const until = async (wanted: Signal): Promise<void> => {
      await waitFor(() => heard, {
        describe: `the signal ${JSON.stringify(wanted)}`,
        until: () => heard.some((signal) => isDeepStrictEqual(signal, wanted)),
      });
      heard.length = 0;
    };
    const lane = openLane(store, "s");
    await lane.create();
    await until({
      kind: "lane",
      sessionId: "s",
      seq: 1,
      ready: null,
      wantsNothing: true,
      isForeign: true,
    });
    await queryOnce(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'holdfast' AND datname = current_database()`,
    );
    await until({ kind: "missed" });
    // The sender may still be connecting. Then its first signal is lost, and a later one arrives.
    let count = 0;
    const send = async (): Promise<void> => {
      count += 1;
      await lane.accept(`p${count}`);
      await delay(20);
    };
    await waitFor(send, {
      describe: "a signal after the reconnect",
      until: () => heard.length > 0,
    });
    assert.deepEqual(
      heard.map((signal) => signal.kind),
      heard.map(() => "lane"),
    );
  } finally {
    await store.close();
    await other.close();
  }
});

test("a PostgreSQL snapshot that is trimmed to the newest event includes the same events", () => {
  assert.deepEqual(
    [
      trimSnapshot("5:20:5,7,12", "10"),
      trimSnapshot("20:20:", "10"),
      trimSnapshot("12:20:12", "10"),
      trimSnapshot("20:20:", null),
    ],
    ["5:11:5,7", "11:11:", "11:11:", "1:1:"],
  );
});

test("every string survives jsonb unchanged", () => {
  for (const text of [
    "\u0000",
    "\ud800",
    "\udc00x",
    "😀",
    "\uf8ff0000",
    "\\u0000",
    "\\\u0000",
    '"\n',
  ]) {
    const stored = toJsonb({ [text]: [text] });
    assert.ok(!/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/.test(stored), stored);
    assert.deepEqual(fromJsonb(stored), { [text]: [text] });
  }
});

/** Polls until there are rows. */
async function someRows<Row>(ask: () => Promise<Row[]>): Promise<Row[]> {
  return waitFor(ask, { describe: "a row", until: (rows) => rows.length > 0 });
}

async function readOn(
  store: Store,
  after: string | null,
): Promise<{ events: LaneEvent[]; cursor: string }> {
  const events: LaneEvent[] = [];
  let cursor = after;
  for (;;) {
    const page = await store.feed({ after: cursor, limit: 2 });
    assert.ok(page.status === "events");
    events.push(...page.events);
    cursor = page.cursor;
    if (!page.more) return { events, cursor };
  }
}
