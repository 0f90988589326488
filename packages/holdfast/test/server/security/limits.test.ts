import assert from "node:assert/strict";
import { test } from "node:test";
import { createBuckets, createStreamCount } from "../../../src/server/security/buckets.ts";
import { memoryRecords } from "./records.ts";
import { createCodes } from "../../../src/server/security/links.ts";

test("P5 a client may send its burst and then its rate; others are not affected", () => {
  let now = 1_000;
  const buckets = createBuckets({ burst: 3, perSecond: 2 }, () => now);
  const take = (client: string): number => buckets.take(client);
  assert.deepEqual(
    [1, 2, 3, 4].map(() => take("a")),
    [0, 0, 0, 500],
  );
  assert.equal(take("b"), 0);
  now += 250;
  assert.equal(take("a"), 250, "half of the next one is there");
  now += 250;
  assert.deepEqual([take("a"), take("a")], [0, 500]);
  now += 60_000;
  assert.deepEqual(
    [1, 2, 3, 4].map(() => take("a")),
    [0, 0, 0, 500],
    "it fills up to its burst",
  );
  now -= 3_600_000;
  assert.equal(take("a"), 500, "a clock that is set back locks nobody out");
  now += 500;
  assert.equal(take("a"), 0);
});

test("P5 many one-time clients do not grow memory", () => {
  const buckets = createBuckets({ burst: 1, perSecond: 1 }, () => 0);
  for (let client = 0; client < 30_000; client += 1) buckets.take(String(client));
  assert.ok(buckets.size() <= 10_000, `${buckets.size()} are remembered`);
});

test("P5 streams are counted per client and in total, and each ends once", () => {
  const streams = createStreamCount({ perClient: 2, total: 3 });
  const [first, second] = [streams.open("a"), streams.open("a")];
  assert.equal(streams.open("a"), null);
  assert.notEqual(streams.open("b"), null);
  assert.equal(streams.open("c"), null, "all together have three");
  first?.();
  first?.();
  assert.equal(streams.has("a"), true);
  assert.notEqual(streams.open("c"), null);
  assert.equal(streams.open("b"), null);
  second?.();
  assert.equal(streams.has("a"), false);
});

test("a one-time code works once, on any node, and not after it expires", async () => {
  let now = 0;
  const records = memoryRecords();
  const open = () => createCodes({ records, validFor: 300_000, now: () => now });
  const [codes, elsewhere] = [open(), open()];
  const [one, two] = [await codes.create("one"), await codes.create("two")];
  const redeemed = await Promise.all([elsewhere.redeem(one.code), codes.redeem(one.code)]);
  assert.deepEqual(
    redeemed.filter((value) => value !== null),
    ["one"],
  );
  assert.equal(await codes.redeem(one.code), null);
  assert.equal(await codes.redeem("guess"), null);
  now = two.expiresAt;
  assert.equal(await codes.redeem(two.code), null);
});
