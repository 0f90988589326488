import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../support/hand-clock.ts";
import { openWorld, pinning, sessionOf } from "./support/world.ts";

test("M7 during a refresh a child gets its parent's config version, and nothing blocks", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const parent = await world.run("parent");
  parent.share(sessionOf("child"));
  world.configure("a", { digest: "2" });
  const applied = await world.refresh();
  const child = await world.run("child", { parent: "parent" });
  const grandchild = await world.run("grandchild", { parent: "child" });
  assert.equal(child.workspace, parent.workspace);
  assert.equal(grandchild.workspace, parent.workspace);
  const ended = world.ending(applied);
  assert.deepEqual(applied.waitingFor(), [
    pinning("parent"),
    pinning("child"),
    pinning("grandchild"),
  ]);
  parent.release();
  grandchild.release();
  await settled();
  assert.deepEqual([applied.waitingFor(), ended()], [[pinning("child")], "waits"]);
  child.release();
  await settled();
  assert.deepEqual(ended(), []);
  assert.equal(world.log().at(-1), "close mcp:x 1");
});

test("M7 a run that refreshes or closes its own directory is answered at once", async (t) => {
  const world = openWorld(t, { a: { digest: "1" } });
  const pin = await world.run("r1");
  world.configure("a", { digest: "2" });
  const refreshed = await world.refresh({ directories: [pin.workspace.directory] });
  assert.deepEqual(refreshed.waitingFor(), [pinning("r1")]);
  const closed = await world.closeAll();
  assert.deepEqual(closed.waitingFor(), [pinning("r1")]);
  pin.release();
  assert.deepEqual([await refreshed.ended, await closed.ended], [[], []]);
});

test("M7 a child of a run that has ended, or in another directory, gets the newest version", async (t) => {
  const world = openWorld(t, { a: { digest: "1" }, b: { digest: "1" } });
  const parent = await world.run("parent");
  world.configure("a", { digest: "2" });
  await world.refresh();
  const elsewhere = await world.run("elsewhere", { directory: "b", parent: "parent" });
  assert.equal(elsewhere.workspace.directory, "b");
  parent.release();
  const orphan = await world.run("orphan", { parent: "parent" });
  assert.match(orphan.workspace.generation, /^2\./);
  orphan.release();
  elsewhere.release();
});

test("M7 a session may use a parent's version as long as one of its parent runs is active", async (t) => {
  const world = openWorld(t);
  const [first, second] = [await world.run("r1"), await world.run("r2")];
  const shared = (): boolean => world.host.isShared("child");
  assert.equal(shared(), false);
  first.share("child");
  first.share("child");
  second.share("child");
  assert.equal(shared(), true);
  first.release();
  assert.equal(shared(), true);
  second.release();
  assert.equal(shared(), false);
  second.share("other");
  assert.equal(world.host.isShared("other"), false);
});

test("M7 each attempt of a run keeps its config version open separately", async (t) => {
  const world = openWorld(t);
  const former = await world.run("r1");
  world.configure("a", { digest: "2" });
  await world.refresh();
  const resumed = await world.run("r1");
  world.configure("a", { digest: "3" });
  await world.refresh();
  former.release();
  const child = await world.run("child", { parent: "r1" });
  assert.equal(child.workspace, resumed.workspace);
  resumed.release();
  child.release();
});
