import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../support/hand-clock.ts";
import { openWorld } from "./support/world.ts";

const quarter = 15 * 60_000;

test("M1 a directory without runs for a while is closed, and the next run opens it again", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const first = await world.run("r1");
  await world.clock.move(3 * quarter);
  assert.equal(world.host.get("a")?.current?.pins.length, 1, "a pinned one is not idle");
  first.release();
  await world.clock.move(quarter - 1);
  assert.notEqual(world.host.get("a"), null);
  world.log();
  await world.clock.move(quarter);
  assert.deepEqual(world.log(), ["close mcp:x 1"]);
  assert.deepEqual(world.host.list(), []);
  const second = await world.run("r2");
  assert.notEqual(second.workspace.generation, first.workspace.generation);
  assert.deepEqual(
    second.workspace.generation.split(".")[1],
    first.workspace.generation.split(".")[1],
  );
  assert.deepEqual(world.log(), ["read a", "open mcp:x 2", "build a 1 [mcp:x]"]);
  second.release();
});

test("M1 a directory that is used now and then stays open", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  for (let index = 0; index < 5; index += 1) {
    const pin = await world.run(`r${index}`);
    await world.clock.move(quarter / 3);
    pin.release();
    await world.clock.move(quarter / 2);
  }
  assert.deepEqual(world.log(), ["read a", "open mcp:x 1", "build a 1 [mcp:x]"]);
});

test("M1 the idle time of a directory starts at the end of its last run or its last request", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const pin = await world.run("r1");
  await world.clock.move(quarter - 60_000);
  pin.release();
  await world.clock.move(quarter - 60_000);
  await world.host.load("a");
  await world.clock.move(quarter - 60_000);
  assert.deepEqual(world.log(), ["read a", "open mcp:x 1", "build a 1 [mcp:x]"]);
  await world.clock.move(60_000);
  assert.deepEqual(world.log(), ["close mcp:x 1"]);
});

test("M1 a directory that is being refreshed is not idle: no reused resource is closed", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  await world.host.load("a");
  await world.clock.move(quarter - 1_000);
  world.configure("a", { digest: "2", resources: ["mcp:x"] });
  const goOn = world.holdReads();
  const refresh = world.refresh();
  await world.clock.move(2_000);
  goOn();
  assert.deepEqual((await refresh).failures, []);
  await settled();
  assert.deepEqual(world.log().slice(-2), ["read a", "build a 2 [mcp:x]"]);
});

test("M1 a refreshed directory that becomes idle is closed, and errors are reported", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  await world.host.load("a");
  world.configure("a", { digest: "2", resources: ["mcp:x"] });
  await world.refresh();
  world.behave("mcp:x", { close: () => Promise.reject(new Error("it is on fire")) });
  await world.clock.move(2 * quarter);
  assert.deepEqual(world.host.list(), []);
  assert.deepEqual(world.errors, ["server mcp:x could not be closed: it is on fire"]);
});
