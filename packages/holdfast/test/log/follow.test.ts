import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { followFeed } from "../../src/log/feed.ts";
import { follow, waitForRow } from "../../src/log/follow.ts";
import type { FollowOptions, Hints } from "../../src/log/follow.ts";
import { createLaneHub } from "../../src/log/lane-hub.ts";
import { followEvents } from "../../src/log/session-log.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { databaseFile } from "../store/sqlite/folder.ts";

/** Runs everything that needs no timer. Timers are mocked, so polling cannot help. */
async function settle(t: TestContext): Promise<void> {
  t.mock.timers.tick(0);
  for (let round = 0; round < 20; round += 1) await setImmediate();
}

function createHints(): { hints: Hints; ring: () => void; count: () => number } {
  const rings = new Set<() => void>();
  const hints: Hints = (ring) => {
    rings.add(ring);
    return () => void rings.delete(ring);
  };
  return { hints, ring: () => rings.forEach((ring) => ring()), count: () => rings.size };
}

interface Page {
  readonly items: readonly number[];
  readonly after: number;
  readonly more: boolean;
}

/** Reads from an array, which grows like a log. */
function readFrom(log: readonly number[]): (after: number, limit: number) => Promise<Page> {
  return async (after, limit) => {
    const items = log.slice(after, after + limit);
    return { items, after: after + items.length, more: items.length === limit };
  };
}

/** Follows in the background and collects the items. */
function collect(
  source: { read: (after: number, limit: number) => Promise<Page>; hints: Hints | null },
  options: Partial<FollowOptions<number>>,
): { seen: number[]; ended: Promise<void> } {
  const seen: number[] = [];
  const run = async (): Promise<void> => {
    for await (const { items } of follow(source, { after: 0, limit: 2, ...options }))
      seen.push(...items);
  };
  return { seen, ended: run() };
}

test("F1 a hint during a read leads to another read, without waiting for a poll", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { hints, ring } = createHints();
  const log: number[] = [];
  const controller = new AbortController();
  const read: ReturnType<typeof readFrom> = async (after, limit) => {
    const page = await readFrom(log)(after, limit);
    // Committed after the read, before its answer is used.
    if (log.length === 0) {
      log.push(7);
      ring();
    }
    return page;
  };
  const { seen, ended } = collect({ read, hints }, { signal: controller.signal });
  await settle(t);
  assert.deepEqual(seen, [7]);
  controller.abort();
  await ended;
});

test("F1 a row that became final before its waiter listens is found", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { hints, ring, count } = createHints();
  let row = "open";
  const read = async (): Promise<string> => {
    const found = row;
    if (row === "open") {
      row = "over";
      ring();
    }
    return found;
  };
  const found: unknown[] = [];
  const wait = { read, isOver: (last: string) => last === "over", signal: undefined };
  void waitForRow(hints, wait).then((last) => found.push(last));
  await settle(t);
  assert.deepEqual([found, count()], [["over"], 0]);
});

test("F2 with an aborted signal one page is read, and no listener remains", async () => {
  const { hints, count } = createHints();
  const source = { read: readFrom([1, 2, 3]), hints };
  const { seen, ended } = collect(source, { signal: AbortSignal.abort() });
  await ended;
  assert.deepEqual([seen, count()], [[1, 2], 0]);
});

test("F3 a failed read is retried after its pause, not by a hint, and an abort ends the pause", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { hints, ring } = createHints();
  const controller = new AbortController();
  const errors: unknown[] = [];
  const away = new Error("the store is away");
  const source = { read: () => Promise.reject(away), hints };
  const { ended } = collect(source, {
    signal: controller.signal,
    onError: (error) => void errors.push(error),
    retryAfter: 500,
  });
  await settle(t);
  ring();
  await settle(t);
  assert.deepEqual(errors, [away]);
  t.mock.timers.tick(500);
  await settle(t);
  assert.deepEqual(errors, [away, away]);
  controller.abort();
  await ended;
  await assert.rejects(collect(source, {}).ended, away);
});

test("a log without hints is read to its current end", async () => {
  const { seen, ended } = collect({ read: readFrom([1, 2, 3, 4, 5]), hints: null }, {});
  await ended;
  assert.deepEqual(seen, [1, 2, 3, 4, 5]);
});

test("T2 events that are committed while a session or the feed is read are read next", async (t) => {
  const store = await openSqliteStore({ file: databaseFile(t) });
  t.after(() => store.close());
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const reads = { feed: 0, events: 0 };
  const lanes = createLaneHub();
  const during = async <T>(what: keyof typeof reads, read: Promise<T>): Promise<T> => {
    reads[what] += 1;
    const found = await read;
    if (reads[what] === 1) lanes.signal({ kind: "missed" });
    return found;
  };
  const feed: Store["feed"] = (page) => during("feed", store.feed(page));
  const events: Store["events"] = (id, page) => during("events", store.events(id, page));
  const watch: Store["watch"] = (listener) => lanes.listenAll(listener);
  const watched = { ...store, feed, events, watch };
  const controller = new AbortController();
  const { signal } = controller;
  const feeding = followFeed(watched, { after: null, signal });
  await feeding.next();
  const waiting: Promise<unknown>[] = [feeding.next()];
  await settle(t);
  assert.equal(reads.feed, 2);
  const following = followEvents({ lanes, store: watched }, { sessionId: "s", after: 0, signal });
  waiting.push(following.next());
  await settle(t);
  assert.equal(reads.events, 2);
  controller.abort();
  await Promise.all(waiting);
});
