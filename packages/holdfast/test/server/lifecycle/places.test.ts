import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../security/test-server.ts";
import type { TestServer } from "../security/test-server.ts";

async function places({ ask, owner }: TestServer): Promise<number> {
  const { text } = await ask("GET", "/v1/nodes", { token: owner });
  const { items }: { items: readonly { maxRuns: number }[] } = JSON.parse(text);
  return items[0]?.maxRuns ?? 0;
}

test("a server reports its run limit, 64 by default", async (t) => {
  const [usual, small] = [await openTestServer(t), await openTestServer(t, { maxRuns: 3 })];
  assert.deepEqual([await places(usual), await places(small)], [64, 3]);
});
