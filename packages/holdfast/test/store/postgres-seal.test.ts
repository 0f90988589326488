import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createOpener, createSealer } from "../../src/store/postgres/seal.ts";
import { maxMessage } from "../../src/store/store.ts";

const key = randomBytes(32);
const channel = "holdfast_deltas_1";

test("a sealed text is opened once, in the sender's order, from the sender's connection", () => {
  const seal = createSealer({ key, channel, processId: 7 });
  const payloads = ["first €", "", "third 😀"].map(seal);
  const open = createOpener({ key, channel });
  assert.deepEqual(
    payloads.map((payload) => open(payload, 7)),
    ["first €", "", "third 😀"],
  );
  // Repeated by the same connection, or by another one to a receiver that has just started.
  assert.deepEqual(
    payloads.map((payload) => open(payload, 7)),
    [null, null, null],
  );
  const late = createOpener({ key, channel });
  assert.deepEqual(
    payloads.map((payload) => late(payload, 8)),
    [null, null, null],
  );
  // A lost text does not keep the next one out.
  assert.equal(late(payloads[2] ?? "", 7), "third 😀");
  assert.equal(late(payloads[1] ?? "", 7), null);
});

test("a text sealed with another key or for another channel is not opened", () => {
  const open = createOpener({ key, channel });
  const others = [
    { key: randomBytes(32), channel, processId: 7 },
    { key, channel: "holdfast_lanes_1", processId: 7 },
  ];
  for (const other of others) assert.equal(open(createSealer(other)("text"), 7), null);
});

test("a payload with any bit changed is not opened, nor is one cut anywhere", () => {
  const bytes = Buffer.from(createSealer({ key, channel, processId: 7 })("text"), "base64");
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(createOpener({ key, channel })(changed.toString("base64"), 7), null);
  }
  for (let length = 0; length < bytes.length; length += 1) {
    const cut = bytes.subarray(0, length).toString("base64");
    assert.equal(createOpener({ key, channel })(cut, 7), null);
  }
});

test("the longest message fits into a notification of PostgreSQL", () => {
  const seal = createSealer({ key, channel, processId: 2 ** 31 });
  assert(seal("x".repeat(maxMessage)).length < 8_000);
});
