import assert from "node:assert/strict";
import { test } from "node:test";
import { soakNodes } from "./soak/soak.ts";

// The short form of `npm run soak -- nodes`, with another seed each time: a failure names it.

test("P1 P2 L5 R1 one of three servers is killed, one frozen, one cut off, the database crashes, and all answers are correct", async (t) => {
  const seed = Math.floor(Math.random() * 1_000_000);
  const troubles = { kill: 1, freeze: 1, cut: 1, database: 1, drain: 0 };
  const result = await soakNodes({
    seed,
    prompts: 40,
    troubles,
    revives: false,
    clients: 8,
    pause: 0,
    takeoverWithin: 60_000,
  });
  const { problems, outcomes, takeovers, told } = result;
  t.diagnostic(`seed ${seed}: ${JSON.stringify({ outcomes, takeovers })}`);
  assert.deepEqual(problems, [], `seed ${seed}`);
  assert.equal(told.accepted.length, 40);
  assert.ok(told.readings.length > 0 && told.acts.length > 0 && told.outcomes.length > 0);
});
