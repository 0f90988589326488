import assert from "node:assert/strict";
import { test } from "node:test";
import { createSlots } from "../../src/runner/slots.ts";

function scene(): { slots: ReturnType<typeof createSlots>; told: () => number } {
  let told = 0;
  const slots = createSlots({ total: 2, perDirectory: 1 }, () => (told += 1));
  return { slots, told: () => told };
}

test("L3 a free place is told of once, and only where somebody missed one", () => {
  const { slots, told } = scene();
  slots.take("/a")?.release();
  assert.equal(told(), 0);
  const held = slots.take("/a");
  assert.equal(slots.take("/a"), null);
  held?.release();
  assert.equal(told(), 1);
  slots.take("/a")?.release();
  assert.equal(told(), 1);
});

test("L3 who was not looked for, because a directory is full, has missed a place", () => {
  const { slots, told } = scene();
  const held = slots.take("/a");
  assert.deepEqual(slots.full(), ["/a"]);
  held?.release();
  assert.equal(told(), 1);
});

test("L3 a place that is lent is free for whoever missed one", () => {
  const { slots, told } = scene();
  const held = slots.take("/a");
  assert.equal(slots.take("/a"), null);
  held?.lend();
  assert.equal(told(), 1);
  assert.notEqual(slots.take("/a"), null);
});
