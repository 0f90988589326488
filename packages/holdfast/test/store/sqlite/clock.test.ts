import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { systemClock } from "../../../src/store/sqlite/clock.ts";
import type { Clock } from "../../../src/store/sqlite/clock.ts";
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

test("L5 the clock never goes backwards, within a process and between processes", async (context) => {
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
  await waitFor(() => second.now(), { describe: "a later time", until: (now) => now > start });
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

const year = 365 * 24 * hour;

/** A machine whose clocks are moved by hand. */
function machine(): {
  open: (newest?: number) => Clock;
  start: number;
  work: (time: number) => void;
  sleep: (time: number) => void;
  set: (by: number) => void;
} {
  const start = 1_700_000_000_000;
  const now = { wall: start, monotonic: 5_000.5, uptime: 90_000 };
  return {
    start,
    open: (newest = 0) =>
      systemClock(newest, {
        wall: () => Math.floor(now.wall),
        monotonic: () => now.monotonic,
        uptime: () => now.uptime,
      }),
    work: (time) => {
      now.wall += time;
      now.monotonic += time;
      now.uptime += time;
    },
    sleep: (time) => {
      now.wall += time;
      now.uptime += time;
    },
    set: (by) => {
      now.wall += by;
    },
  };
}

test("P6 R1 the time during which a machine sleeps counts", () => {
  const { open, work, sleep, start } = machine();
  const clock = open();
  work(100);
  assert.equal(clock(), start + 100);
  sleep(2 * hour);
  assert.equal(clock(), start + 2 * hour + 100);
  work(100);
  assert.equal(clock(), start + 2 * hour + 200);
});

test("L5 a clock that is set back continues from its last value, awake and asleep", () => {
  const { open, work, sleep, set, start } = machine();
  const clock = open();
  assert.equal(clock(), start);
  set(-hour);
  work(100);
  assert.equal(clock(), start + 100);
  sleep(2 * hour);
  assert.equal(clock(), start + 2 * hour + 100);
  work(100);
  // The machine's clock is corrected. The store's clock was ahead, and now neither jumps nor goes back.
  set(hour);
  assert.equal(clock(), start + 2 * hour + 200);
  work(100);
  assert.equal(clock(), start + 2 * hour + 300);
});

test("L5 a clock that was wrong at the start follows when it is set ahead", () => {
  const { open, work, set, start } = machine();
  const clock = open();
  set(year);
  work(100);
  assert.equal(clock(), start + year + 100);
});

test("L5 after a jump of years ahead and back the clock continues at its usual rate", () => {
  const { open, work, sleep, set, start } = machine();
  const clock = open();
  set(10 * year);
  const ahead = clock();
  set(-10 * year);
  work(hour);
  assert.equal(clock(), ahead + hour);
  // The next process begins where the store has written last, and counts sleep as well.
  const next = open(ahead + hour);
  assert.equal(next(), ahead + hour);
  sleep(hour);
  work(100);
  assert.equal(next(), ahead + 2 * hour + 100);
  assert.equal(ahead, start + 10 * year);
});

test("L5 small steps of the machine's clock cause neither jumps nor backward steps", () => {
  const { open, work, set, start } = machine();
  const clock = open();
  assert.equal(clock(), start);
  set(-900);
  assert.equal(clock(), start);
  work(1_000);
  assert.equal(clock(), start + 100);
  // Comparing whole milliseconds with fractions of milliseconds must not slow the clock down.
  const ahead = open(start + hour);
  for (let turn = 0; turn < 1_000; turn += 1) {
    work(0.25);
    ahead();
  }
  assert.equal(ahead(), start + hour + 250);
});
