import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { soakTrees } from "./trees.ts";
import type { TreesOptions } from "./trees.ts";

/** The short form of `npm run soak -- trees`, with another seed each time: a failure names it. */
export async function shortTrees(t: TestContext, store: TreesOptions["store"]): Promise<void> {
  const seed = Math.floor(Math.random() * 1_000_000);
  const result = await soakTrees({
    store,
    seed,
    trees: 3,
    kills: 1,
    depth: 2,
    breadth: 3,
    side: 3,
  });
  t.diagnostic(`seed ${seed}: ${result.named} descendants named`);
  const { completed, started, woken, open, problems } = result;
  const nothing = { completed: [], started: [], woken: [], open: [], problems: [] };
  assert.deepEqual({ completed, started, woken, open, problems }, nothing, `seed ${seed}`);
  assert.equal(result.cancels, 3);
}
