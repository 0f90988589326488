import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pin } from "../../src/workspace/workspaces.ts";
import { settled } from "../support/hand-clock.ts";
import { openWorld, pinning } from "./support/world.ts";

test("M1 an active run keeps its config version, and the next run gets the new one", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x", "mcp:y"] } });
  const first = await world.run("r1");
  world.configure("a", { digest: "2", resources: ["mcp:y", "mcp:z"] });
  const applied = await world.refresh();
  const second = await world.run("r2");
  assert.deepEqual(
    [applied.directories, applied.failures, applied.waitingFor()],
    [["a"], [], [pinning("r1")]],
  );
  assert.match(first.workspace.generation, /^1\.[0-9a-f]{12}$/);
  assert.match(second.workspace.generation, /^2\.[0-9a-f]{12}$/);
  const open = world.host.get("a");
  assert.deepEqual(
    open?.retired.map(({ id, pins }) => ({ id, pins })),
    [{ id: first.workspace.generation, pins: [pinning("r1")] }],
  );
  assert.deepEqual(open?.current?.pins, [pinning("r2")]);
  assert.deepEqual(world.log(), [
    "read a",
    "open mcp:x 1",
    "open mcp:y 1",
    "build a 1 [mcp:x mcp:y]",
    "read a",
    "open mcp:z 1",
    "build a 2 [mcp:y mcp:z]",
  ]);
  const ended = world.ending(applied);
  await settled();
  assert.equal(ended(), "waits");
  first.release();
  first.release();
  await settled();
  assert.deepEqual(ended(), []);
  assert.deepEqual(applied.waitingFor(), []);
  assert.deepEqual(world.log(), ["close mcp:x 1"], "what the new one has is carried over");
  assert.equal(world.clock.pending(), 1, "the one that looks for an idle directory");
  second.release();
});

test("M1 with 300 overlapping runs a refresh takes effect at once, and the old version closes after its runs", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const inUse: Pin[] = [];
  const generations: string[] = [];
  let ended: (() => unknown) | null = null;
  for (let index = 0; index < 300; index += 1) {
    inUse.push(await world.run(`r${index}`));
    generations.push(inUse.at(-1)?.workspace.generation ?? "");
    // Two runs are always active, so some config version is in use at any time.
    if (inUse.length > 2) inUse.shift()?.release();
    if (index === 150) {
      world.configure("a", { digest: "2", resources: [] });
      const applied = await world.refresh();
      assert.deepEqual(applied.waitingFor(), [pinning("r149"), pinning("r150")]);
      ended = world.ending(applied);
    }
    await settled();
    if (index === 150 || index === 151) assert.equal(ended?.(), "waits");
    if (index === 152) assert.deepEqual(ended?.(), []);
  }
  const [before = "", after = ""] = [generations[0], generations[299]];
  assert.notEqual(before, after);
  assert.deepEqual(
    generations,
    generations.map((_, index) => (index <= 150 ? before : after)),
  );
  assert.deepEqual(world.log(), [
    "read a",
    "open mcp:x 1",
    "build a 1 [mcp:x]",
    "read a",
    "build a 2 []",
    "close mcp:x 1",
  ]);
  for (const pin of inUse) pin.release();
});

test("M1 a close of two directories that are busy in turn completes", async (t) => {
  const config = { digest: "1", resources: ["mcp:x"] };
  const world = openWorld(t, { a: config, b: config });
  let busy = await world.run("r0");
  (await world.run("rb", { directory: "b" })).release();
  const applied = await world.closeAll();
  assert.deepEqual(applied.directories, ["a", "b"]);
  assert.deepEqual(applied.waitingFor(), [pinning("r0")]);
  const ended = world.ending(applied);
  // Each next run starts in the other directory before the previous run ends.
  for (let index = 1; index <= 6; index += 1) {
    const next = await world.run(`r${index}`, { directory: index % 2 === 0 ? "a" : "b" });
    busy.release();
    busy = next;
    await settled();
    assert.deepEqual(ended(), [], `after run ${index}`);
  }
  busy.release();
});

test("M1 a refresh without changes keeps the config version, and a restart replaces it", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x:1", "mcp:xy:1"] } });
  const pin = await world.run("r1");
  world.log();
  const unchanged = await world.refresh();
  assert.deepEqual(
    [unchanged.failures, unchanged.waitingFor(), await unchanged.ended],
    [[], [], []],
  );
  assert.deepEqual(world.log(), ["read a"]);
  const restarted = await world.refresh({ restart: ["mcp:x"] });
  assert.deepEqual(restarted.waitingFor(), [pinning("r1")]);
  assert.deepEqual(world.log(), ["read a", "open mcp:x:1 2", "build a 1 [mcp:x:1 mcp:xy:1]"]);
  pin.release();
  assert.deepEqual(await restarted.ended, []);
  assert.deepEqual(world.log(), ["close mcp:x:1 1"]);
});

test("M1 a resource with new tools creates a new config version and is not restarted", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x", "config:files"] } });
  const pin = await world.run("r1");
  world.log();
  world.change("mcp:x", "2");
  world.change("config:files", "1");
  assert.deepEqual(world.wanted, [
    { directory: "a", cause: "mcp" },
    { directory: "a", cause: "config" },
  ]);
  const applied = await world.refresh();
  assert.deepEqual(applied.waitingFor(), [pinning("r1")]);
  assert.deepEqual(world.log(), ["read a", "build a 1 [mcp:x config:files]"]);
  pin.release();
  assert.deepEqual(await applied.ended, []);
  assert.deepEqual(world.log(), []);
});

test("M1 a resource that changes while its config version is built is not missed", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x", "mcp:slow"] } });
  const opening = Promise.withResolvers<void>();
  world.behave("mcp:slow", { open: () => opening.promise });
  world.onBuild(() => world.change("mcp:x", "3"));
  const running = world.run("r1");
  await settled();
  world.change("mcp:x", "2");
  assert.deepEqual(world.wanted, [], "nobody has seen what it offered before");
  opening.resolve();
  (await running).release();
  assert.deepEqual(world.wanted, [{ directory: "a", cause: "mcp" }]);
});

test("M1 a refresh opens no closed directory, and waits for versions that runs still use", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const pin = await world.run("r1");
  await world.closeAll();
  world.log();
  const applied = await world.refresh();
  assert.deepEqual([applied.directories, applied.waitingFor()], [["a"], [pinning("r1")]]);
  assert.deepEqual(world.log(), []);
  pin.release();
  assert.deepEqual(await applied.ended, []);
});

test("M2 a refresh of a directory that is not open has no effect", async (t) => {
  const world = openWorld(t, { a: { digest: "1" }, b: { digest: "1" } });
  await world.host.load("b");
  const applied = await world.refresh({ directories: ["a", "nowhere"] });
  assert.deepEqual([applied.directories, await applied.ended], [[], []]);
  assert.deepEqual(world.log(), ["read b", "build b 1 []"]);
});

test("M2 a run that has not started yet is waited for, and listed once it has started", async (t) => {
  const world = openWorld(t);
  const request = { directory: "a", sessionId: "s1", parentRunId: null };
  const pin = await world.host.acquire(request);
  const applied = await world.closeAll();
  const ended = world.ending(applied);
  const seen: unknown[] = [];
  const stop = applied.onChange(() => seen.push(applied.waitingFor()));
  await settled();
  assert.deepEqual([applied.waitingFor(), ended()], [[], "waits"]);
  pin.bind("r1");
  pin.release();
  stop();
  assert.deepEqual(await applied.ended, []);
  assert.deepEqual(seen, [[{ directory: "a", sessionId: "s1", runId: "r1" }], []]);
});
