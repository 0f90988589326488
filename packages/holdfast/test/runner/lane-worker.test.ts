import assert from "node:assert/strict";
import { test } from "node:test";
import { LaneWorker } from "../../src/runner/lane-worker.ts";
import type { Target } from "../../src/runner/scheduler/state.ts";
import { createHandClock, settled } from "../support/hand-clock.ts";

// The ports of a worker are functions here: only the timer of its polls and its reaction to failures count.

const failed: Target = { sessionId: "failed", directory: "/a", wants: "start", since: 1 };

/** A worker with one ready lane whose claims fail. */
function openWorker() {
  const clock = createHandClock();
  const begun = clock.monotonic();
  const claims: number[] = [];
  const errors: unknown[] = [];
  const worker = new LaneWorker({
    store: { execute: refuse },
    claimer: {
      claim: async () => {
        claims.push(clock.monotonic() - begun);
        throw new Error("the store is full");
      },
      giveBack: () => {},
      prepare: refuse,
    },
    reader: {
      look: async (sessionId) => ({ sessionId, target: null, isDue: true }),
      scan: async () => ({ targets: [failed], due: [], isWhole: true, nextDueIn: null }),
      hasStepped: async () => false,
      tick: async () => {},
      giveUp: async () => {},
      outOfScope: async () => [],
    },
    limits: { places: 4, perDirectory: 4, window: 10 },
    pollEvery: 1_000,
    clock,
    executeRun: refuse,
    executeWork: refuse,
    onError: (error) => errors.push(error),
  });
  return { worker, clock, claims, errors };
}

test("L3 scans do not postpone the poll that retries a lane whose claim failed", async () => {
  const { worker, clock, claims, errors } = openWorker();
  worker.dispatch({ type: "leased", node: "n" });
  await settled();
  for (let round = 0; round < 10; round += 1) {
    await clock.move(300);
    // The read of another lane finds a timed change, which requests a scan.
    worker.dispatch({ type: "hint", sessionId: "timed" });
    await settled();
  }
  assert.deepEqual(claims, [0, 1_000, 2_000, 3_000]);
  assert.equal(errors.length, 4);
});

function refuse(): never {
  assert.fail("nothing is executed");
}
