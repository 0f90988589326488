import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { createClaimer } from "../../src/runner/claimer.ts";
import type { Claimer } from "../../src/runner/claimer.ts";
import { createRecoveryGate } from "../../src/runner/recovery-gate.ts";
import { createSlots } from "../../src/runner/slots.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { constantWorkspaces } from "../../src/workspace/workspaces.ts";
import { openLane } from "../store/lane-client.ts";
import { databaseFile } from "../store/sqlite/folder.ts";
import { oneStep } from "./races/tries.ts";

interface Scene {
  readonly claimer: Claimer;
  /** What may change between the look at a lane and its start. */
  readonly world: { node: string | null; present: boolean; ready: boolean; shared: boolean };
  /** The next pin has to wait, and its place goes to another meanwhile. */
  readonly loseItsPlace: () => void;
  /** Pins that were ever taken, pins that are held, and places that are free. */
  readonly counts: () => readonly number[];
  readonly types: () => Promise<string[]>;
}

const lane = { sessionId: "main", directory: "/project" };

/** A claimer beside a lane with a prompt that waits. */
async function openScene(t: TestContext): Promise<Scene> {
  const store = await openSqliteStore({ file: databaseFile(t) });
  t.after(() => store.close());
  await openLane(store, "main").create();
  await openLane(store, "main").accept("p1");
  const world: Scene["world"] = { node: "node1", present: true, ready: true, shared: false };
  let taken = 0;
  let held = 0;
  let losesItsPlace = false;
  const usual = constantWorkspaces();
  const slots = createSlots({ total: 1, perDirectory: 1 }, () => {});
  const claimer = createClaimer(
    {
      store,
      agent: oneStep,
      workspaces: {
        isReady: () => world.ready,
        isShared: () => world.shared,
        acquire: async (request) => {
          taken += 1;
          held += 1;
          if (losesItsPlace) {
            request.onWait?.();
            assert(slots.take(request.directory) !== null);
          }
          return { ...(await usual.acquire(request)), release: () => void (held -= 1) };
        },
      },
      works: {},
      maxRuns: 1,
      maxRunsPerDirectory: 1,
      maxSteps: 10,
      stopGrace: 1_000,
      budget: null,
      recovery: "resume",
      acceptLimits: { maxQueue: 10, maxBytes: 1_000, draining: false },
      leaseTtl: 1_000,
      renewEvery: 100,
      pollEvery: 100,
      titles: false,
      newId: (kind) => `${kind}1`,
      onError: assert.ifError,
    },
    {
      slots,
      recovery: createRecoveryGate(() => {}),
      nodeId: () => world.node,
      isPresent: () => Promise.resolve(world.present),
      closing: new AbortController().signal,
      onLoaded: () => {},
    },
  );
  return {
    claimer,
    world,
    loseItsPlace: () => {
      losesItsPlace = true;
    },
    counts: () => [taken, held, slots.free],
    types: async () => (await openLane(store, "main").types()).slice(2),
  };
}

test("L1 a start that was foreseen is sent with all that it has taken", async (t) => {
  const { claimer, counts, types } = await openScene(t);
  const foreseen = await claimer.foresee(lane);
  assert.deepEqual(counts(), [1, 1, 0]);
  assert.equal((await foreseen?.start())?.handle.runId, "run1");
  assert.deepEqual([counts(), await types()], [[1, 1, 0], ["run.started"]]);
});

test("L5 M7 no start is foreseen without a lease, for a directory that is elsewhere or has to be loaded, or where a parent may have a say", async (t) => {
  const changes = [{ node: null }, { present: false }, { ready: false }, { shared: true }];
  for (const change of changes) {
    const { claimer, world, counts } = await openScene(t);
    Object.assign(world, change);
    assert.equal(await claimer.foresee(lane), null);
    assert.deepEqual(counts(), [0, 0, 1]);
  }
});

test("L5 M7 a start that was foreseen under another lease, or before a parent had a say, is given back", async (t) => {
  for (const change of [{ node: null }, { node: "node2" }, { shared: true }]) {
    const { claimer, world, counts, types } = await openScene(t);
    const foreseen = await claimer.foresee(lane);
    Object.assign(world, change);
    assert.equal(await foreseen?.start(), null);
    assert.deepEqual([counts(), await types()], [[1, 0, 1], []]);
  }
});

test("L3 a pin whose place went to another while it waited is given back", async (t) => {
  const { claimer, loseItsPlace, counts } = await openScene(t);
  loseItsPlace();
  assert.equal(await claimer.foresee(lane), null);
  assert.deepEqual(counts(), [1, 0, 0]);
});
