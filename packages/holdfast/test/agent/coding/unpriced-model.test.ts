import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import { openWorld } from "./world.ts";

const facts = { limits: { context: 100_000, output: 1_000 }, price: null };

test("P6 a cost budget with a model of unknown price is refused before the first call", async (t) => {
  const world = await openWorld(t, {
    protocol: "openaiChat",
    facts,
    script: inOrder(says("Hello.")),
  });
  await world.prompt("p1", { budget: { tokens: null, cost: 2 } });
  const { ended, text } = await world.outcome("p1");
  assert.equal(ended, "failed: budget");
  assert.match(text ?? "", /^The price of .+ is unknown, so its cost cannot be limited/);
  assert.equal(world.server.calls.length, 0);
  await world.prompt("p2", { budget: { tokens: 1_000_000, cost: null } });
  assert.equal((await world.outcome("p2")).ended, "completed");
});
