import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../support/hand-clock.ts";
import { openWorld } from "./support/world.ts";

const aborted = { name: "AbortError" };

test("M9 a shutdown while a config is read ends all waits and opens nothing", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const goOn = world.holdReads();
  const waiting = [world.run("r1"), world.host.load("a")].map((each) =>
    assert.rejects(each, aborted),
  );
  const refresh = world.refresh();
  await world.host.close();
  await Promise.all(waiting);
  assert.deepEqual(await (await refresh).ended, []);
  goOn();
  await settled();
  assert.deepEqual(world.log(), ["read a"]);
  await assert.rejects(world.run("r2"), aborted);
  await assert.rejects(world.host.load("a"), aborted);
  assert.deepEqual((await world.closeAll()).directories, []);
});

test("M9 a shutdown while servers start stops them and closes those that have started", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x", "mcp:slow"] } });
  world.behave("mcp:slow", {
    open: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")));
      }),
  });
  const waiting = assert.rejects(world.run("r1"), aborted);
  await settled();
  await world.host.close();
  await waiting;
  assert.deepEqual(world.log(), ["read a", "open mcp:x 1", "open mcp:slow 1", "close mcp:x 1"]);
  assert.deepEqual(world.errors, []);
});

test("M9 a shutdown waits a limited time for a server that starts although it was stopped", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:deaf"] } });
  world.behave("mcp:deaf", { open: () => new Promise(() => {}) });
  const waiting = assert.rejects(world.run("r1"), aborted);
  await settled();
  let closed = false;
  const closing = world.host.close().then(() => (closed = true));
  await world.clock.move(9_999);
  assert.equal(closed, false);
  await world.clock.move(1);
  await Promise.all([closing, waiting]);
  assert.deepEqual(world.errors, ["opening server mcp:deaf was aborted, but has not stopped yet"]);
});

test("M9 M3 a shutdown while an action waits for runs ends the action and closes everything once", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x", "mcp:y"] } });
  const pin = await world.run("r1");
  world.configure("a", { digest: "2", resources: ["mcp:y", "mcp:z"] });
  const applied = await world.refresh();
  world.log();
  await Promise.all([world.host.close(), world.host.close()]);
  assert.deepEqual(await applied.ended, []);
  assert.deepEqual(world.log(), ["close mcp:z 1", "close mcp:x 1", "close mcp:y 1"]);
  pin.release();
  await settled();
  assert.deepEqual(world.log(), []);
});

test("M9 M3 a shutdown during a hanging teardown is limited in time and closes the rest", async (t) => {
  const world = openWorld(t, {
    a: { digest: "1", resources: ["mcp:bad"] },
    b: { digest: "1", resources: ["mcp:x"] },
  });
  await Promise.all([world.host.load("a"), world.host.load("b")]);
  world.behave("mcp:bad", { close: () => new Promise(() => {}) });
  const applied = await world.refresh({ kind: "close", directories: ["a"] });
  world.log();
  const closed = world.host.close();
  await settled();
  assert.deepEqual(world.log(), ["close mcp:x 1"]);
  await world.clock.move(10_000);
  await closed;
  const message = "server mcp:bad could not be closed: closing timed out after 10 s";
  assert.deepEqual(await applied.ended, [{ directory: "a", message }]);
});

test("M9 after a shutdown, a server that waits for its predecessor to close is not opened", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  await world.host.load("a");
  const ending = Promise.withResolvers<void>();
  world.behave("mcp:x", { close: () => ending.promise });
  await world.closeAll();
  const waiting = assert.rejects(world.run("r1"), aborted);
  await settled();
  const closed = world.host.close();
  ending.resolve();
  await Promise.all([closed, waiting]);
  assert.deepEqual(world.log().slice(-2), ["close mcp:x 1", "read a"]);
});

test("M9 a shutdown during a close and a new run leaves nothing open", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  (await world.run("r1")).release();
  const close = world.closeAll();
  const waiting = assert.rejects(world.run("r2"), aborted);
  await world.host.close();
  await waiting;
  assert.deepEqual(await (await close).ended, []);
  assert.deepEqual(world.log(), ["read a", "open mcp:x 1", "build a 1 [mcp:x]", "close mcp:x 1"]);
});
