import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { stopWhenIdle } from "../../src/compose/idle-stop.ts";
import { createHandClock } from "../support/hand-clock.ts";
import type { HandClock } from "../support/hand-clock.ts";

const minute = 60_000;

interface World {
  readonly clock: HandClock;
  connected: boolean;
  working: boolean;
  usedAt: number;
  stops: number;
  checks: number;
}

function openWorld(t: TestContext): World {
  const clock = createHandClock();
  const usedAt = clock.monotonic();
  const world = { clock, connected: false, working: false, usedAt, stops: 0, checks: 0 };
  const watching = stopWhenIdle({
    after: 15 * minute,
    lastUse: () => (world.connected ? Infinity : world.usedAt),
    hasWork: async () => {
      world.checks += 1;
      return world.working;
    },
    stop: () => {
      world.stops += 1;
      void watching[Symbol.asyncDispose]();
    },
    onError: (error) => assert.fail(String(error)),
    clock,
  });
  t.after(() => watching[Symbol.asyncDispose]());
  return world;
}

test("a server without work and clients stops after the time, and not before", async (t) => {
  const world = openWorld(t);
  await world.clock.move(14 * minute);
  assert.deepEqual([world.stops, world.checks], [0, 0]);
  await world.clock.move(minute);
  assert.equal(world.stops, 1);
});

test("a connected client, a request, or work keeps the server for the whole time again", async (t) => {
  const world = openWorld(t);
  world.connected = true;
  await world.clock.move(60 * minute);
  assert.equal(world.stops, 0);
  world.connected = false;
  world.usedAt = world.clock.monotonic();
  await world.clock.move(14 * minute);
  assert.equal(world.stops, 0);
  world.working = true;
  await world.clock.move(60 * minute);
  assert.deepEqual([world.stops, world.checks], [0, 4]);
  // The end of the work is an event.
  world.working = false;
  world.usedAt = world.clock.monotonic();
  await world.clock.move(14 * minute);
  assert.equal(world.stops, 0);
  await world.clock.move(minute);
  assert.equal(world.stops, 1);
});
