import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { activityViews } from "../../src/runtime/views/activity.ts";
import type { Activity } from "../../src/runtime/views/activity.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { StoreError } from "../../src/store/store-error.ts";
import type { Store } from "../../src/store/store.ts";
import { openLane } from "../store/lane-client.ts";
import type { LaneClient } from "../store/lane-client.ts";
import { databaseFile } from "../store/sqlite/folder.ts";

// A read of the store that fails while the activity is read must not change the numbers of later calls.

const minute = 60_000;

interface Place {
  readonly lane: LaneClient;
  advance(milliseconds: number): void;
  read(reach: number): Promise<Activity>;
  /** Lets one read of this kind fail, after `skipped` reads of this kind that succeed. */
  failOnce(read: Read, options?: { skipped: number }): void;
}

type Read = "feedAt" | "listSessions" | "prompt";

async function openPlace(t: TestContext): Promise<Place> {
  let now = Date.UTC(2030, 0, 1);
  const store = await openSqliteStore({ file: databaseFile(t), clock: () => now });
  t.after(() => store.close());
  let failure: { readonly read: Read; skipped: number } | null = null;
  const expectWorks = (read: Read): void => {
    if (failure?.read !== read) return;
    if (failure.skipped-- > 0) return;
    failure = null;
    throw new StoreError("storeUnavailable", "lost");
  };
  const unreliable: Store = {
    ...store,
    feedAt: async (time) => {
      expectWorks("feedAt");
      return store.feedAt(time);
    },
    listSessions: async (query) => {
      expectWorks("listSessions");
      return store.listSessions(query);
    },
    prompt: async (sessionId, promptId) => {
      expectWorks("prompt");
      return store.prompt(sessionId, promptId);
    },
  };
  const views = activityViews(unreliable);
  return {
    lane: openLane(store, "main"),
    advance: (milliseconds) => {
      now += milliseconds;
    },
    read: (reach) => views.activity({ reach, slices: 1, directories: null }),
    failOnce: (read, { skipped } = { skipped: 0 }) => {
      failure = { read, skipped };
    },
  };
}

for (const read of ["feedAt", "listSessions"] as const) {
  test(`activity counts waiting prompts after the read of a longer range failed in ${read}`, async (t) => {
    const place = await openPlace(t);
    await place.lane.create();
    await place.lane.accept("waits");
    place.advance(150 * minute);
    const before = await place.read(10 * minute);
    assert.deepEqual([before.isComplete, before.slices[0]?.waiting], [true, 1]);
    place.failOnce(read);
    await assert.rejects(place.read(60 * minute), { code: "storeUnavailable" });
    assert.deepEqual(await place.read(10 * minute), before);
  });
}

test("activity counts each prompt once after a read in the middle of a page failed", async (t) => {
  const place = await openPlace(t);
  await place.lane.create();
  for (const promptId of ["a", "b"]) await place.lane.accept(promptId);
  place.advance(150 * minute);
  for (const promptId of ["a", "b"])
    await place.lane.cancel(`c-${promptId}`, { kind: "prompt", promptId });
  place.failOnce("prompt", { skipped: 1 });
  await assert.rejects(place.read(10 * minute), { code: "storeUnavailable" });
  const { settled, isComplete } = await place.read(10 * minute);
  assert.deepEqual([settled, isComplete], [{ completed: 0, failed: 0, cancelled: 2 }, true]);
});
