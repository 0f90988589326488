import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { followEvents, followFeed } from "../../src/runner/follow.ts";
import { createLaneHub } from "../../src/runner/lane-hub.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { databaseFile } from "../store/sqlite/folder.ts";

test("T2 what is committed while a follower reads is read next, without waiting for a poll", async (t) => {
  const store = await openSqliteStore({ file: databaseFile(t) });
  t.after(() => store.close());
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const lanes = createLaneHub();
  const reads = { feed: 0, events: 0 };
  /** The first read is over when somebody commits, and not answered yet. */
  const during = async <T>(what: keyof typeof reads, read: Promise<T>): Promise<T> => {
    reads[what] += 1;
    const found = await read;
    if (reads[what] === 1) lanes.signal({ kind: "missed" });
    return found;
  };
  const parts = {
    lanes,
    store: {
      ...store,
      feed: (page: Parameters<typeof store.feed>[0]) => during("feed", store.feed(page)),
      events: (id: string, page: Parameters<typeof store.events>[1]) =>
        during("events", store.events(id, page)),
    },
  };
  const controller = new AbortController();
  const { signal } = controller;
  const feed = followFeed(parts, { after: null, signal });
  await feed.next();
  const waiting = [feed.next(), followEvents(parts, { sessionId: "s", after: 0, signal }).next()];
  for (let round = 0; round < 20; round += 1) await setImmediate();
  assert.deepEqual(reads, { feed: 2, events: 2 });
  controller.abort();
  await Promise.all(waiting);
});
