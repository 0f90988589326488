import assert from "node:assert/strict";
import { test } from "node:test";
import { soak } from "./soak/soak.ts";

// The short form of `npm run soak`, with another seed each time: a failure names it.

for (const store of ["sqlite", "postgres"] as const) {
  test(`P1 P2 R1 R2 L3 processes are killed with -9 and all work continues by itself (${store})`, async (t) => {
    const seed = Math.floor(Math.random() * 1_000_000);
    const { problems, ...counts } = await soak({ store, kills: 4, seed });
    t.diagnostic(`seed ${seed}: ${JSON.stringify(counts)}`);
    assert.deepEqual(problems, [], `seed ${seed}`);
    assert.ok(counts.resumed > 0 && counts.acts > 0, "runs were cut off, and calls have acted");
  });
}
