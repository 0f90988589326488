import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { soak } from "./soak.ts";
import type { SoakOptions } from "./soak.ts";

/** The short form of `npm run soak`, with another seed each time: a failure names it. */
export async function shortSoak(t: TestContext, store: SoakOptions["store"]): Promise<void> {
  const seed = Math.floor(Math.random() * 1_000_000);
  const { problems, ...counts } = await soak({ store, kills: 4, seed });
  t.diagnostic(`seed ${seed}: ${JSON.stringify(counts)}`);
  assert.deepEqual(problems, [], `seed ${seed}`);
  assert.ok(counts.resumed > 0 && counts.acts > 0, "runs were cut off, and calls have acted");
}
