import assert from "node:assert/strict";
import { test } from "node:test";
import { activityViews } from "../../src/runtime/views/activity.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { openLane } from "../store/lane-client.ts";
import { databaseFile } from "../store/sqlite/folder.ts";

test("activity measures each wait of a prompt that returns to the queue, without its time in the run", async (t) => {
  let now = Date.UTC(2030, 0, 1);
  const store = await openSqliteStore({ file: databaseFile(t), clock: () => now });
  t.after(() => store.close());
  const lane = openLane(store, "main");
  const views = activityViews(store);
  await store.join({ nodeId: "node", ttl: 3_600_000 });
  await lane.create();
  await lane.accept("first");
  now += 1_000;
  await lane.start("run1", { owner: "node" });
  await lane.accept("second", { delivery: "steer" });
  now += 2_000;
  await lane.boundary();
  await lane.cancel("cancel", { upTo: (await lane.row("first")).acceptSeq });
  now += 60_000;
  await lane.end();
  now += 3_000;
  await lane.start("run2", { owner: "node" });

  const query = { reach: 120_000, slices: 12, directories: null };
  const { inQueue, slices, settled } = await views.activity(query);
  // The waits are 1 s (first), 2 s until the second prompt joins a run, and 3 s after its return.
  assert.deepEqual(inQueue, { median: 2_000, high: 3_000 });
  assert.deepEqual(settled, { completed: 0, failed: 0, cancelled: 1 });
  // Both waits of the second prompt are in the slices of these waits only.
  const waiting = slices.map((slice) => slice.waiting).filter((count) => count > 0);
  assert.deepEqual(waiting, [1, 1]);
});
