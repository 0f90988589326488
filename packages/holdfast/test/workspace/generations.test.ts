import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "./support/hand-timers.ts";
import { openWorld } from "./support/world.ts";

test("M1 a running run keeps its generation, the next one gets the new", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x", "mcp:y"] } });
  const first = await world.run("r1");
  world.configure("a", { digest: "2", resources: ["mcp:y", "mcp:z"] });
  const applied = await world.refresh();
  const second = await world.run("r2");
  const r1 = { directory: "a", sessionId: "sr1", runId: "r1" };
  const r2 = { directory: "a", sessionId: "sr2", runId: "r2" };
  assert.deepEqual(applied.directories, ["a"]);
  assert.deepEqual(applied.failures, []);
  assert.deepEqual(applied.waitingFor(), [r1]);
  assert.match(first.workspace.generation, /^1\.[0-9a-f]{12}$/);
  assert.match(second.workspace.generation, /^2\.[0-9a-f]{12}$/);
  const open = world.host.get("a");
  assert.deepEqual(
    open?.retired.map(({ id, pins }) => ({ id, pins })),
    [{ id: first.workspace.generation, pins: [r1] }],
  );
  assert.deepEqual(open?.current?.pins, [r2]);
  assert.deepEqual(world.log(), [
    "read a",
    "open mcp:x 1",
    "open mcp:y 1",
    "build a 1 [mcp:x mcp:y]",
    "read a",
    "open mcp:z 1",
    "build a 2 [mcp:y mcp:z]",
  ]);
  let ended = false;
  const end = applied.ended.then((problems) => {
    ended = true;
    return problems;
  });
  await settled();
  assert.equal(ended, false);
  first.release();
  assert.deepEqual(await end, []);
  assert.deepEqual(applied.waitingFor(), []);
  assert.deepEqual(world.log(), ["close mcp:x 1"], "what the new one has is carried over");
  assert.equal(second.workspace.directory, "a");
  second.release();
});
