import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "../support/hand-clock.ts";
import { openWorld } from "./support/world.ts";

const aborted = { name: "AbortError" };

test("M1 a caller can stop waiting for a load, and the others get the result", async (t) => {
  const world = openWorld(t);
  const goOn = world.holdReads();
  const leaving = new AbortController();
  const { signal } = leaving;
  const request = { directory: "a", sessionId: "s0", parentRunId: null };
  const left = assert.rejects(world.host.acquire({ ...request, signal }), aborted);
  const stays = world.run("r1");
  leaving.abort();
  await left;
  await assert.rejects(world.host.acquire({ ...request, signal }), aborted);
  goOn();
  const pin = await stays;
  assert.deepEqual(
    (await world.closeAll()).waitingFor().map(({ runId }) => runId),
    ["r1"],
  );
  pin.release();
});

test("M1 a load that no caller waits for any more leaves an idle directory", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:x"] } });
  const goOn = world.holdReads();
  const leaving = new AbortController();
  const request = { directory: "a", sessionId: "s0", parentRunId: null, signal: leaving.signal };
  const left = assert.rejects(world.host.acquire(request), aborted);
  leaving.abort();
  await left;
  goOn();
  await settled();
  assert.deepEqual(world.host.get("a")?.current?.pins, []);
  const applied = await world.closeAll();
  assert.deepEqual([applied.waitingFor(), await applied.ended], [[], []]);
});
