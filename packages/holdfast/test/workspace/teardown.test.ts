import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../support/hand-clock.ts";
import { openWorld } from "./support/world.ts";

const three = { digest: "1", resources: ["mcp:x", "mcp:bad", "mcp:y"] };

test("M3 an error during teardown is reported to each waiter, and the rest is closed", async (t) => {
  const world = openWorld(t, { a: three });
  const pin = await world.run("r1");
  world.behave("mcp:bad", { close: () => Promise.reject(new Error("it is on fire")) });
  const answers = [await world.closeAll(), await world.closeAll()];
  world.log();
  pin.release();
  const message = "server mcp:bad could not be closed: it is on fire";
  for (const { ended } of answers) assert.deepEqual(await ended, [{ directory: "a", message }]);
  assert.deepEqual(world.errors, [message]);
  assert.deepEqual(world.log(), ["close mcp:x 1", "close mcp:bad 1", "close mcp:y 1"]);
});

test("M3 a hanging teardown ends after its timeout and is reported", async (t) => {
  const world = openWorld(t, { a: three });
  (await world.run("r1")).release();
  world.behave("mcp:bad", { close: () => new Promise(() => {}) });
  const applied = await world.closeAll();
  const ended = world.ending(applied);
  await world.clock.move(9_999);
  assert.equal(ended(), "waits");
  await world.clock.move(1);
  const message = "server mcp:bad could not be closed: closing timed out after 10 s";
  assert.deepEqual(ended(), [{ directory: "a", message }]);
  assert.deepEqual(world.log().slice(-3), ["close mcp:x 1", "close mcp:bad 1", "close mcp:y 1"]);
  await settled();
  assert.deepEqual(world.host.list(), []);
});

test("M3 a hanging teardown blocks no run, and delays only the opening of its own server", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:bad"] } });
  (await world.run("r1")).release();
  const closing = Promise.withResolvers<void>();
  world.behave("mcp:bad", { close: () => closing.promise });
  world.configure("a", { digest: "2", resources: ["mcp:x"] });
  const applied = await world.refresh();
  const ended = world.ending(applied);
  (await world.run("r2")).release();
  world.configure("a", { digest: "3", resources: ["mcp:x", "mcp:bad"] });
  world.log();
  const again = world.refresh();
  await settled();
  assert.deepEqual(world.log(), ["read a"], "not beside the one that is closing");
  (await world.run("r3")).release();
  closing.resolve();
  assert.deepEqual((await again).failures, []);
  assert.deepEqual(ended(), []);
  assert.deepEqual(world.log(), ["open mcp:bad 2", "build a 3 [mcp:x mcp:bad]"]);
});

test("M3 a resource that several retired versions share is closed once, after the last one", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const pins = [];
  const ends = [];
  for (const digest of ["2", "3", "4"]) {
    pins.push(await world.run(`r${digest}`));
    world.configure("a", { digest, resources: ["mcp:x"] });
    ends.push(world.ending(await world.refresh()));
  }
  const closed = world.ending(await world.closeAll());
  world.log();
  pins[1]?.release();
  await settled();
  assert.deepEqual(
    [...ends, closed].map((state) => state()),
    ["waits", "waits", "waits", "waits"],
    "each waits for all that was retired when it was applied",
  );
  pins[0]?.release();
  await settled();
  assert.deepEqual(
    [...ends, closed].map((state) => state()),
    [[], [], "waits", "waits"],
  );
  assert.deepEqual(world.log(), []);
  pins[2]?.release();
  await settled();
  assert.deepEqual(
    [...ends, closed].map((state) => state()),
    [[], [], [], []],
  );
  assert.deepEqual(world.log(), ["close mcp:x 1"]);
});

test("M3 a server is not opened while its predecessor is closing", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const pin = await world.run("r1");
  await world.refresh({ restart: ["mcp:x"] });
  const closing = Promise.withResolvers<void>();
  const close = (opening: number): Promise<void> =>
    opening === 1 ? closing.promise : Promise.resolve();
  world.behave("mcp:x", { close });
  pin.release();
  await world.closeAll();
  const next = world.run("r2");
  await settled();
  assert.deepEqual(world.log().slice(-3), ["close mcp:x 1", "close mcp:x 2", "read a"]);
  closing.resolve();
  (await next).release();
  assert.deepEqual(world.log(), ["open mcp:x 3", "build a 1 [mcp:x]"]);
});

test("M3 a listener that throws does not prevent the release of a config version", async (t) => {
  const world = openWorld(t);
  const pin = await world.run("r1");
  const applied = await world.closeAll();
  applied.onChange(() => {
    throw new Error("not today");
  });
  pin.release();
  assert.deepEqual(await applied.ended, []);
  assert.deepEqual(world.errors, ["not today"]);
});
