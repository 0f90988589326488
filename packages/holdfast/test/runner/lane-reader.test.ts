import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/base/time.ts";
import { createLaneReader } from "../../src/runner/lane-reader.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { openLane } from "../store/lane-client.ts";
import { databaseFile } from "../store/sqlite/folder.ts";

test("S2 a lane that is read has the time since which it is ready, as in a scan", async (t) => {
  let now = 1_000;
  const store = await openSqliteStore({ file: databaseFile(t), clock: () => now });
  t.after(() => store.close());
  const reader = createLaneReader({ store, clock: systemClock, nodeId: () => null, scope: null });
  const lane = openLane(store, "main");
  await lane.create();
  assert.deepEqual(await reader.look("main"), { sessionId: "main", target: null, isDue: false });
  await lane.accept("p1");
  now = 2_000;
  await lane.accept("p2");
  const scan = { type: "scan", limit: 9, full: [], absent: [], takeOvers: true } as const;
  const { targets } = await reader.scan(scan);
  assert.deepEqual(
    targets.map(({ since }) => since),
    [1_000],
  );
  assert.deepEqual(await reader.look("main"), {
    sessionId: "main",
    target: targets[0],
    isDue: false,
  });
});

test("R1 a lane that is read needs a takeover as soon as the lease of its owner has expired", async (t) => {
  let now = 1_000;
  const store = await openSqliteStore({ file: databaseFile(t), clock: () => now });
  t.after(() => store.close());
  await store.join({ nodeId: "node1", ttl: 500 });
  await store.join({ nodeId: "node2", ttl: 60_000 });
  const lane = openLane(store, "main");
  await lane.create();
  await lane.accept("p1");
  await lane.start("run1");
  const read = (nodeId: string) =>
    createLaneReader({ store, clock: systemClock, nodeId: () => nodeId, scope: null });
  assert.equal((await read("node2").look("main")).target, null);
  now = 1_500;
  const scan = { type: "scan", limit: 9, full: [], absent: [], takeOvers: true } as const;
  const { targets } = await read("node2").scan(scan);
  assert.deepEqual(
    targets.map(({ wants, since }) => [wants, since]),
    [["takeOver", 1_500]],
  );
  assert.deepEqual((await read("node2").look("main")).target, targets[0]);
  // The owner itself ends or hands over its own runs.
  assert.equal((await read("node1").look("main")).target, null);
});

test("P6 a tick tells whether a timed change of the lane was committed", async (t) => {
  let now = 1_000;
  const store = await openSqliteStore({ file: databaseFile(t), clock: () => now });
  t.after(() => store.close());
  const reader = createLaneReader({ store, clock: systemClock, nodeId: () => null, scope: null });
  const lane = openLane(store, "main");
  await lane.create();
  await lane.accept("p1", { expiresAt: 2_000 });
  assert.equal(await reader.tick("main"), false);
  now = 2_000;
  assert.equal(await reader.tick("main"), true);
  assert.equal(await reader.tick("main"), false);
});
