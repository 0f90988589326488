import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../support/hand-clock.ts";
import { openWorld, pinning } from "./support/world.ts";

test("M4 five refreshes while deferred: one load, five answers", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const pin = await world.run("r1");
  world.configure("a", { digest: "2", resources: ["mcp:y"] });
  world.log();
  const answers = [];
  for (let index = 0; index < 5; index += 1) answers.push(await world.refresh());
  assert.deepEqual(
    answers.map((applied) => applied.waitingFor()),
    answers.map(() => [pinning("r1")]),
  );
  const ended = answers.map((applied) => world.ending(applied));
  await settled();
  assert.deepEqual(
    ended.map((state) => state()),
    ended.map(() => "waits"),
  );
  const boot = ["read a", "open mcp:y 1", "build a 2 [mcp:y]"];
  assert.deepEqual(world.log(), [...boot, "read a", "read a", "read a", "read a"]);
  pin.release();
  await settled();
  assert.deepEqual(
    ended.map((state) => state()),
    ended.map(() => []),
  );
  assert.deepEqual(world.log(), ["close mcp:x 1"]);
});

test("M4 refreshes during a load share the next load, because the current one may have read too early", async (t) => {
  const world = openWorld(t, { a: { digest: "1" } });
  (await world.run("r1")).release();
  world.configure("a", { digest: "2" });
  world.log();
  const goOn = world.holdReads();
  const first = world.refresh();
  await settled();
  world.configure("a", { digest: "3" });
  const later = [1, 2, 3, 4].map(() => world.refresh());
  const running = await world.run("r2");
  goOn();
  await Promise.all([first, ...later]);
  assert.deepEqual(world.log(), ["read a", "build a 2 []", "read a", "build a 3 []"]);
  assert.match(running.workspace.generation, /^1\./, "a run does not wait for a refresh");
  const next = await world.run("r3");
  assert.match(next.workspace.generation, /^3\./);
  running.release();
  next.release();
});

test("M4 restarts requested during a load are all done by the next load", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x", "mcp:y", "mcp:z"] } });
  (await world.run("r1")).release();
  world.log();
  const goOn = world.holdReads();
  const first = world.refresh();
  const later = ["mcp:x", "mcp:y"].map((name) => world.refresh({ restart: [name] }));
  goOn();
  await Promise.all([first, ...later]);
  await settled();
  assert.deepEqual(world.log(), [
    "read a",
    "read a",
    "open mcp:x 2",
    "open mcp:y 2",
    "build a 1 [mcp:x mcp:y mcp:z]",
    "close mcp:x 1",
    "close mcp:y 1",
  ]);
});

test("M4 a close and a refresh during a load have one effect: nothing stays in use", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const goOn = world.holdReads();
  const running = world.run("r1");
  await settled();
  const requests = [world.refresh(), world.closeAll(), world.refresh()];
  goOn();
  const pin = await running;
  const answers = await Promise.all(requests);
  assert.deepEqual(
    answers.map((applied) => applied.waitingFor()),
    answers.map(() => [pinning("r1")]),
  );
  assert.equal(world.host.get("a")?.current, null);
  assert.deepEqual(world.log(), ["read a", "open mcp:x 1", "build a 1 [mcp:x]"]);
  pin.release();
  await Promise.all(answers.map(({ ended }) => ended));
  assert.deepEqual(world.log(), ["close mcp:x 1"]);
  await settled();
  assert.deepEqual(world.host.list(), []);
});

test("M4 a run that starts during a close still gets a config version", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  (await world.run("r1")).release();
  const [closed, pin] = await Promise.all([world.closeAll(), world.run("r2")]);
  await closed.ended;
  assert.match(pin.workspace.generation, /^2\./);
  assert.deepEqual(world.host.get("a")?.current?.pins, [pinning("r2")]);
  pin.release();
});
