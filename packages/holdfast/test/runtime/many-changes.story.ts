import assert from "node:assert/strict";
import { test } from "node:test";
import { listChanges } from "../../src/runtime/changes/changes.ts";
import { openWorld } from "./support/changing-agent.ts";

test("of 10,100 changed files, 10,000 are listed, and the number of the others is given", async (t) => {
  const world = await openWorld(t);
  const acts = Array.from({ length: 100 }, (_, call) => ({
    changes: Array.from({ length: 101 }, (_, file) => ({ change: `${call}-${file}`, to: "x\n" })),
  }));
  await world.run(acts);
  const scope = { sessionId: "main", runId: null };
  const { files, omitted } = await listChanges(world.holdfast.store, scope);
  assert.deepEqual([files.length, omitted], [10_000, 100]);
  assert.ok(files.every(({ status }) => status === "created"));
});
