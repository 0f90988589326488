import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { followEvents, followFeed } from "../../src/log/follow.ts";
import { createLaneHub } from "../../src/log/lane-hub.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { databaseFile } from "../store/sqlite/folder.ts";

test("T2 what is committed while a follower reads is read next, without waiting for a poll", async (t) => {
  const store = await openSqliteStore({ file: databaseFile(t) });
  t.after(() => store.close());
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const reads = { feed: 0, events: 0 };
  /** The first read is over when somebody commits, and not answered yet. */
  const partsOf = (what: keyof typeof reads): Parameters<typeof followFeed>[0] => {
    const lanes = createLaneHub();
    const during = async <T>(read: Promise<T>): Promise<T> => {
      reads[what] += 1;
      const found = await read;
      if (reads[what] === 1) lanes.signal({ kind: "missed" });
      return found;
    };
    const feed: Store["feed"] = (page) => during(store.feed(page));
    const events: Store["events"] = (id, page) => during(store.events(id, page));
    return { lanes, store: { ...store, feed, events } };
  };
  const controller = new AbortController();
  const { signal } = controller;
  const feed = followFeed(partsOf("feed"), { after: null, signal });
  const events = followEvents(partsOf("events"), { sessionId: "s", after: 0, signal });
  await feed.next();
  const waiting = [feed.next(), events.next()];
  for (let round = 0; round < 20; round += 1) await setImmediate();
  assert.deepEqual(reads, { feed: 2, events: 2 });
  controller.abort();
  await Promise.all(waiting);
});
