import assert from "node:assert/strict";
import { test } from "node:test";
import { openHouse } from "../security/house.ts";
import type { House } from "../security/house.ts";

async function places({ ask, owner }: House): Promise<number> {
  const { text } = await ask("GET", "/v1/nodes", { token: owner });
  const { items }: { items: readonly { maxRuns: number }[] } = JSON.parse(text);
  return items[0]?.maxRuns ?? 0;
}

test("a server has as many places for runs as it was given, or 64, and says so", async (t) => {
  const [usual, small] = [await openHouse(t), await openHouse(t, { maxRuns: 3 })];
  assert.deepEqual([await places(usual), await places(small)], [64, 3]);
});
