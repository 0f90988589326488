import assert from "node:assert/strict";
import { test } from "node:test";
import { retryDelay } from "../../../src/agent/coding/retry.ts";
import { ModelError } from "../../../src/agent/model/model.ts";

/** The longest possible delays before each retry. */
function waits(error: ModelError): number[] {
  const found: number[] = [];
  for (let tries = 1; ; tries += 1) {
    const wait = retryDelay(error, { tries, maxTries: 8, random: () => 1 });
    if (wait === null) return found;
    found.push(wait);
  }
}

test("an overloaded provider is retried for about a minute, others for less, permanent errors not at all", () => {
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  const cause = new TypeError("fetch failed", { cause: refused });
  assert.deepEqual(
    waits(new ModelError("transient", "overloaded")),
    [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000],
  );
  assert.deepEqual(
    waits(new ModelError("transient", "fetch failed", { cause })),
    [500, 1_000, 2_000],
  );
  assert.deepEqual(waits(new ModelError("stalled", "nothing came")), [500, 1_000]);
  assert.deepEqual(waits(new ModelError("transient", "slow", { retryIn: 7_000 })).length, 7);
  assert.deepEqual(waits(new ModelError("transient", "tomorrow", { retryIn: 86_400_000 })), []);
  assert.deepEqual(waits(new ModelError("badKey", "no")), []);
});
