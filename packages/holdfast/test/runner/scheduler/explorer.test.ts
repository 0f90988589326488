import assert from "node:assert/strict";
import { test } from "node:test";
import { exploreScheduler } from "./explore.ts";
import { quickScenes } from "./scenes.ts";

for (const scene of quickScenes) {
  test(`S1 to S8 and L3 hold in every order of ${scene.name}`, () => {
    const { states, violations } = exploreScheduler(scene, 100_000);
    assert.deepEqual(violations, []);
    assert.ok(states > 100, `only ${states} states`);
  });
}
