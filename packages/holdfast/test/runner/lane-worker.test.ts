import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneReader, ScanResult } from "../../src/runner/lane-reader.ts";
import { LaneWorker } from "../../src/runner/lane-worker.ts";
import type { Target } from "../../src/runner/scheduler/state.ts";
import { createHandClock, settled } from "../support/hand-clock.ts";

// The ports of a worker are functions here: only the timer of its polls and its reaction to failures count.

const failed: Target = { sessionId: "failed", directory: "/a", wants: "start", since: 1 };

/** A worker whose claims fail. By default its scans find one ready lane. */
function openWorker(reader: Partial<LaneReader> = {}) {
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
      tick: async () => false,
      giveUp: async () => {},
      outOfScope: async () => [],
      ...reader,
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

test("L3 if timed changes fill a scan, another scan follows as soon as one of them is committed", async () => {
  const full: ScanResult = { targets: [], due: ["a", "b"], isWhole: false, nextDueIn: null };
  for (const [ticks, expected] of [
    [[false, true], 2],
    [[false, false], 1],
  ] as const) {
    const answers = [...ticks];
    let scans = 0;
    const { worker } = openWorker({
      tick: async () => answers.shift() ?? false,
      scan: async () => ((scans += 1) === 1 ? full : { ...full, due: [], isWhole: true }),
    });
    worker.dispatch({ type: "leased", node: "n" });
    await settled();
    assert.equal(scans, expected);
    worker.dispatch({ type: "drain" });
    await worker.idle();
  }
});

test("L3 a timed change that cannot be committed is reported and is not repeated before the poll", async () => {
  let scans = 0;
  const { worker, clock, errors } = openWorker({
    tick: async () => {
      throw new Error("the store is full");
    },
    scan: async () => {
      scans += 1;
      return { targets: [], due: ["a"], isWhole: false, nextDueIn: null };
    },
  });
  worker.dispatch({ type: "leased", node: "n" });
  await settled();
  assert.deepEqual([scans, errors.length], [1, 1]);
  await clock.move(1_000);
  await settled();
  assert.deepEqual([scans, errors.length], [2, 2]);
});

function refuse(): never {
  assert.fail("nothing is executed");
}
