import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "./wait-for.ts";

test("waitFor returns the first good value", async () => {
  let count = 0;
  assert.equal(
    await waitFor(() => (count += 1), { describe: "three", until: (seen) => seen === 3 }),
    3,
  );
  assert.equal(await waitFor(async () => "here", { describe: "a text" }), "here");
});

test("waitFor fails after its limit with the last value, even if a read does not end", async () => {
  const describe = "an event";
  await assert.rejects(
    waitFor(() => [1, { a: "b" }], { describe, until: () => false, limit: 10 }),
    /^Error: waited 0.01 s for an event; last: \[ 1, \{ a: 'b' \} \]$/,
  );
  await assert.rejects(
    waitFor(() => new Promise<boolean>(() => {}), { describe, limit: 10 }),
    /waited 0.01 s for an event; last: no value: the first read did not end/,
  );
});
