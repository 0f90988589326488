import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { settled } from "../support/hand-clock.ts";
import { openWorld } from "./support/world.ts";
import type { World } from "./support/world.ts";

// A change that has been made but not reported yet, such as an edit of a file.

const files = "config:files";

/** A world whose config knows whether it was edited since it was read. */
async function openEdited(t: TestContext): Promise<World & { edit(digest: string): void }> {
  const world = openWorld(t, { a: { digest: "1", resources: [files] } });
  let edited = false;
  world.outdate(files, async () => edited);
  world.onBuild(() => (edited = false));
  (await world.run("r0")).release();
  world.log();
  const edit = (digest: string): void => {
    edited = true;
    world.configure("a", { digest, resources: [files, `mcp:x${digest}`] });
  };
  return { ...world, edit };
}

test("M1 an edit takes effect with the next run, before any event reports it", async (t) => {
  const world = await openEdited(t);
  const before = await world.run("r1");
  world.edit("2");
  const after = await world.run("r2");
  assert.deepEqual(
    [before, after].map(({ workspace }) => workspace.generation[0]),
    ["1", "2"],
  );
  const opened = ["read a", "open mcp:x2 1", `build a 2 [${files} mcp:x2]`];
  assert.deepEqual(world.log(), opened);
  before.release();
  after.release();
});

test("M4 runs that start after an edit, or while it is loaded, share one load", async (t) => {
  const world = await openEdited(t);
  const opening = Promise.withResolvers<void>();
  world.behave("mcp:x2", { open: () => opening.promise });
  world.edit("2");
  const runs = [world.run("r1"), world.run("r2")];
  await settled();
  world.outdate(files, async () => false);
  runs.push(world.run("r3"));
  await settled();
  opening.resolve();
  const pins = await Promise.all(runs);
  assert.deepEqual(
    pins.map(({ workspace }) => workspace.generation[0]),
    ["2", "2", "2"],
  );
  const boot = ["read a", "open mcp:x2 1", `build a 2 [${files} mcp:x2]`];
  assert.deepEqual(world.log(), [...boot, "read a"]);
  for (const pin of pins) pin.release();
});

test("M1 an edit during the load of another one takes effect with the next run too", async (t) => {
  const world = await openEdited(t);
  const opening = Promise.withResolvers<void>();
  world.behave("mcp:x2", { open: () => opening.promise });
  world.edit("2");
  const first = world.run("r1");
  await settled();
  world.edit("3");
  const second = world.run("r2");
  await settled();
  opening.resolve();
  const pins = await Promise.all([first, second]);
  assert.match(pins[1].workspace.generation, /^3\./);
  for (const pin of pins) pin.release();
});

test("M6 if an edit cannot be loaded, the next run uses the current config version", async (t) => {
  const world = await openEdited(t);
  world.edit("2");
  world.behave("mcp:x2", { open: () => Promise.reject(new Error("no such command")) });
  const pin = await world.run("r1");
  assert.match(pin.workspace.generation, /^1\./);
  assert.match(world.host.get("a")?.problem?.message ?? "", /no such command/);
  pin.release();
});

test("M7 a child's run does not check for edits: it uses its parent's config version", async (t) => {
  const world = await openEdited(t);
  const parent = await world.run("parent");
  world.edit("2");
  const child = await world.run("child", { parent: "parent" });
  assert.equal(child.workspace, parent.workspace);
  assert.deepEqual(world.log(), []);
  parent.release();
  child.release();
});

test("M1 a resource that cannot tell whether it has changed does not block a run", async (t) => {
  const world = await openEdited(t);
  world.outdate(files, () => Promise.reject(new Error("the disk is gone")));
  (await world.run("r1")).release();
  world.outdate(files, () => new Promise(() => {}));
  const slow = world.run("r2");
  await world.clock.move(1_000);
  (await slow).release();
  assert.deepEqual(world.errors, [
    "the disk is gone",
    "checking the directory for changes timed out",
  ]);
});

test("M1 a run that checks for edits while its directory is closed still gets the directory", async (t) => {
  const world = await openEdited(t);
  const asked = Promise.withResolvers<boolean>();
  world.outdate(files, () => asked.promise);
  const running = world.run("r1");
  await (
    await world.closeAll()
  ).ended;
  await settled();
  asked.resolve(false);
  const pin = await running;
  assert.deepEqual(
    world.host.list().map(({ current }) => current?.workspace),
    [pin.workspace],
    "the host knows of what it has opened",
  );
  pin.release();
});

test("M9 a shutdown, or an abort, while an edit is loaded ends the wait of the run", async (t) => {
  const world = await openEdited(t);
  world.behave("mcp:x2", { open: () => new Promise(() => {}) });
  world.edit("2");
  const leaving = new AbortController();
  const request = { directory: "a", sessionId: "s1", parentRunId: null, signal: leaving.signal };
  const left = assert.rejects(world.host.acquire(request), { name: "AbortError" });
  const cut = assert.rejects(world.run("r2"), { name: "AbortError" });
  await settled();
  leaving.abort();
  await left;
  const closed = world.host.close();
  await cut;
  await world.clock.move(10_000);
  await closed;
});

for (const isClosed of [false, true]) {
  const state = isClosed ? "closed" : "open";
  test(`M1 an abort during the check for edits ends the request (${state} directory)`, async (t) => {
    const world = await openEdited(t);
    const asked = Promise.withResolvers<boolean>();
    world.outdate(files, () => asked.promise);
    const leaving = new AbortController();
    const request = { directory: "a", sessionId: "s1", parentRunId: null, signal: leaving.signal };
    const left = assert.rejects(world.host.acquire(request), { name: "AbortError" });
    if (isClosed) await (await world.closeAll()).ended;
    world.log();
    leaving.abort();
    asked.resolve(false);
    await left;
    assert.deepEqual(world.host.get("a")?.current?.pins ?? [], []);
    assert.deepEqual(world.log(), [], "no config version was loaded");
  });
}
