import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { done, openLane } from "../lane-client.ts";
import { databaseFile } from "./folder.ts";

const hour = 3_600_000;

test("L5 the clock is the machine's, in whole milliseconds", async (context) => {
  const store = await openSqliteStore({ file: databaseFile(context) });
  const before = Date.now();
  const now = await store.now();
  assert.ok(Number.isInteger(now));
  assert.ok(before <= now && now <= Date.now());
  await store.close();
});

test("L5 the clock never runs back, within a process and from one to the next", async (context) => {
  const file = databaseFile(context);
  let now = Date.now() + hour;
  const first = await openSqliteStore({ file, clock: () => now });
  const latest = now;
  done(await openLane(first, "s").create());
  now -= hour;
  assert.equal(await first.now(), latest);
  const { events } = done(await openLane(first, "s").accept("p1"));
  assert.equal(events[0]?.at, latest);
  await first.close();
  const second = await openSqliteStore({ file });
  // Ahead of the machine's clock by an hour, and still moving.
  const start = await second.now();
  assert.ok(start >= latest && start < latest + 60_000);
  while ((await second.now()) === start) await new Promise((resolve) => setImmediate(resolve));
  await second.close();
});

test("R1 a lease of an earlier process ended when the store last saw it alive", async (context) => {
  const file = databaseFile(context);
  let now = 1_700_000_000_000;
  const clock = (): number => now;
  const first = await openSqliteStore({ file, clock });
  await first.join({ nodeId: "first", ttl: hour });
  const lane = openLane(first, "s");
  await lane.create();
  await lane.accept("p1");
  await lane.start("run1", { owner: "first" });
  now += 5000;
  await lane.accept("p2");
  const lastSeen = now;
  await first.close();
  now += 7000;
  const second = await openSqliteStore({ file, clock });
  const heir = openLane(second, "s");
  done(await heir.takeover({ owner: "second", recovery: "hold" }));
  assert.equal((await heir.run()).cutOffAt, lastSeen);
  await second.close();
});
