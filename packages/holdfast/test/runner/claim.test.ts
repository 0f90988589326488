import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { systemClock } from "../../src/base/time.ts";
import { createClaimer } from "../../src/runner/claim.ts";
import type { Claimer } from "../../src/runner/claim.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { constantWorkspaces } from "../../src/workspace/workspaces.ts";
import { openLane } from "../store/lane-client.ts";
import { databaseFile } from "../store/sqlite/folder.ts";
import { oneStep } from "./races/tries.ts";

interface Fixture {
  readonly claimer: Claimer;
  /** Changes that may happen between the read of a session and the start of its run. */
  readonly world: { node: string | null; present: boolean; ready: boolean; shared: boolean };
  /** The next pin has to wait. */
  readonly makeItWait: () => void;
  /** Pins that were ever taken, and pins that are held. */
  readonly counts: () => readonly number[];
  readonly types: () => Promise<string[]>;
}

const lane = { sessionId: "main", directory: "/project" };

/** A claimer beside a lane with a prompt that waits. */
async function openFixture(t: TestContext): Promise<Fixture> {
  const store = await openSqliteStore({ file: databaseFile(t) });
  t.after(() => store.close());
  await openLane(store, "main").create();
  await openLane(store, "main").accept("p1");
  const world: Fixture["world"] = { node: "node1", present: true, ready: true, shared: false };
  let taken = 0;
  let held = 0;
  let waits = false;
  const usual = constantWorkspaces();
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
          if (waits) request.onWait?.();
          return { ...(await usual.acquire(request)), release: () => void (held -= 1) };
        },
      },
      works: {},
      maxRuns: 1,
      clock: systemClock,
      maxRunsPerDirectory: 1,
      maxSteps: 10,
      onBudget: "fail",
      askTime: null,
      caps: () => null,
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
      nodeId: () => world.node,
      isPresent: () => Promise.resolve(world.present),
      closing: new AbortController().signal,
    },
  );
  return {
    claimer,
    world,
    makeItWait: () => {
      waits = true;
    },
    counts: () => [taken, held],
    types: async () => (await openLane(store, "main").types()).slice(2),
  };
}

test("L1 a prepared start is sent with its config version", async (t) => {
  const { claimer, counts, types } = await openFixture(t);
  const prepared = await claimer.prepare(lane);
  assert.deepEqual(counts(), [1, 1]);
  assert.equal((await prepared?.send())?.handle.runId, "run1");
  assert.deepEqual([counts(), await types()], [[1, 1], ["run.started"]]);
});

test("L5 M7 no start is prepared without a lease, for an absent or unloaded directory, or for a child", async (t) => {
  const changes = [{ node: null }, { present: false }, { ready: false }, { shared: true }];
  for (const change of changes) {
    const { claimer, world, counts } = await openFixture(t);
    Object.assign(world, change);
    assert.equal(await claimer.prepare(lane), null);
    assert.deepEqual(counts(), [0, 0]);
  }
});

test("L5 M7 a start that was prepared under another lease, or that depends on a parent run, is released", async (t) => {
  for (const change of [{ node: null }, { node: "node2" }, { shared: true }]) {
    const { claimer, world, counts, types } = await openFixture(t);
    const prepared = await claimer.prepare(lane);
    Object.assign(world, change);
    assert.equal(await prepared?.send(), null);
    assert.deepEqual([counts(), await types()], [[1, 0], []]);
  }
});

test("L3 a config version that had to be waited for is not used for a prepared start", async (t) => {
  const { claimer, makeItWait, counts } = await openFixture(t);
  makeItWait();
  assert.equal(await claimer.prepare(lane), null);
  assert.deepEqual(counts(), [1, 0]);
});

test("S8 a claim that waits for its directory reports it, keeps the config version, and releases it", async (t) => {
  const { claimer, makeItWait, world, counts, types } = await openFixture(t);
  const target = { ...lane, wants: "start", since: 1 } as const;
  const loads: string[] = [];
  const claim = () => claimer.claim(target, () => loads.push("loading"));
  world.ready = false;
  assert.deepEqual(await claim(), { status: "loaded" });
  claimer.giveBack("main");
  assert.deepEqual([counts(), await types(), loads], [[1, 0], [], ["loading"]]);
  makeItWait();
  assert.deepEqual(await claim(), { status: "loaded" });
  assert.equal((await claim()).status, "run");
  assert.deepEqual([counts(), await types()], [[2, 1], ["run.started"]]);
});

test("S8 M1 a claim that fails before it uses the loaded config version releases it", async (t) => {
  for (const change of [{ present: false }, { node: null }]) {
    const { claimer, world, counts } = await openFixture(t);
    const target = { ...lane, wants: "start", since: 1 } as const;
    world.ready = false;
    assert.deepEqual(await claimer.claim(target, () => {}), { status: "loaded" });
    Object.assign(world, change);
    assert.equal((await claimer.claim(target, () => {})).status, "unclaimed");
    assert.deepEqual(counts(), [1, 0]);
  }
});
