import assert from "node:assert/strict";
import { test } from "node:test";
import { exploreScheduler } from "./explore.ts";
import { quickScenarios } from "./scenarios.ts";

for (const scenario of quickScenarios) {
  test(`S1 S2 S3 S4 S5 S6 S7 S8 hold, and L3, in every order of ${scenario.name}`, () => {
    const { states, violations } = exploreScheduler(scenario, 100_000);
    assert.deepEqual(violations, []);
    assert.ok(states > 100, `only ${states} states`);
  });
}
