import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { addEarlier, addEvent, emptyLog, hasGap } from "../src/event-log.ts";
import { eventMaker } from "./support/events.ts";

const { opened } = eventMaker();
const events = Array.from({ length: 30 }, (_, index) => opened("r", index));

test("duplicate and unordered events are returned once and in order (T2)", () => {
  const arrivals = fc.shuffledSubarray([...events, ...events], { minLength: 60 });
  fc.assert(
    fc.property(arrivals, (arrived) => {
      const log = emptyLog(0);
      const given = arrived.flatMap((event) => addEvent(log, event));
      assert.deepEqual(given, events);
      assert.deepEqual(log.events, events);
      assert.equal(hasGap(log), false);
    }),
    { numRuns: 50 },
  );
});

test("an event after a gap waits until the gap is filled", () => {
  const log = emptyLog(10);
  const [eleven, twelve] = events.slice(10, 12);
  assert.ok(eleven !== undefined && twelve !== undefined);
  assert.deepEqual(addEvent(log, twelve), []);
  assert.equal(hasGap(log), true);
  assert.deepEqual(addEvent(log, eleven), [eleven, twelve]);
  assert.equal(hasGap(log), false);
});

test("an earlier part is prepended only if it ends where the log begins", () => {
  const log = emptyLog(20);
  for (const event of events.slice(20)) addEvent(log, event);
  assert.throws(() => addEarlier(log, events.slice(0, 19)), /expected events up to 20/);
  addEarlier(log, events.slice(5, 20));
  assert.deepEqual({ first: log.first, last: log.last }, { first: 6, last: 30 });
  assert.deepEqual(log.events, events.slice(5));
});
