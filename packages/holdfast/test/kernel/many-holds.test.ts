import assert from "node:assert/strict";
import { test } from "node:test";
import { bounds } from "../../src/kernel/validate.ts";
import { copyStore } from "./support/memory-store.ts";
import { createWorld, done } from "./support/world.ts";

test("P5: a session has a maximum number of holds and refuses more", () => {
  const world = createWorld();
  const place = (holdId: string) =>
    world.send({ type: "hold.place", holdId, reason: "wait" } as const);
  for (let index = 0; index < bounds.holds; index += 1) done(place(`hold${index}`));
  const before = copyStore(world.store);
  const answer = place("one-more");
  assert(answer.status === "refused");
  assert.deepEqual(answer.refusal, {
    code: "tooManyHolds",
    limit: bounds.holds,
    message: "the session has 100 holds (pauses), and the limit is 100; release one first",
  });
  assert.deepEqual(world.store, before);
  // The same hold again is that hold (P3).
  assert.deepEqual(done(place("hold0")).events, []);
  done(world.send({ type: "hold.release", target: { kind: "hold", holdId: "hold0" } }));
  assert.equal(done(place("one-more")).state.holds.length, bounds.holds);
});
